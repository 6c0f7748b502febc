"""Learns what the parser's decisions weigh, and says how well it reads lists that it was not fitted to.

    python -m benchmarks.model [--shared ../shared] [--check]

Three small models are learnt, each from data of its own:
titles    how much a stretch of text reads like a paper's title: real titles of facts/background.parquet against the
          headings, remarks, names and links of the corpus; in Asian languages also titles of the lists looked at
tagger    which words of an entry are its title: entries of the corpus and of the labelled lists whose title is known,
          made-up lists in citation styles and, with --references, references of AnyStyle and GROBID as lists
decision  which drafts are mentions: the labelled lists, and the corpus with a small weight
Every labelled list is then read with models fitted without it. The weights and a manifest of what they were learnt
from, and how they scored, go to sources/lists/reading/data. With --check nothing is written.
"""
