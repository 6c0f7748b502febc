"""How entries are read: the smallest list that shows each way of writing papers down."""

import subprocess
import sys

from sources.lists.reading import parse_reading_list
from sources.lists.reading.citation_parts import dated_journal
from sources.lists.reading.document import read_document
from sources.lists.reading.mentions import drafts_by_rule, records_of
from sources.lists.reading.title_model import is_in_other_language, language_of
from tests.matrices import for_each


def only(text):
    (mention,) = parse_reading_list(text).mentions
    return mention


@for_each(
    ("what", "text", "fields", "found"),
    [
        ("a rule at the top is no front matter", "---\n## First\n\n- [On Small Things](http://a.org/x.pdf)\n\n---\n",
         "title section", [("On Small Things", ("First",))]),
        ("two papers on a line", "- [On Small Things](http://a.org/x.pdf); [On Large Things](http://a.org/y.pdf)",
         "title", ["On Small Things", "On Large Things"]),
        ("two addresses on a line", "* https://arxiv.org/pdf/1805.09767.pdf and https://arxiv.org/abs/1808.07217",
         "arxiv_id", ["1805.09767", "1808.07217"]),
        ("a link beside the second of two names",
         "* K-FAC\n* distributed K-FAC, [paper](https://arxiv.org/pdf/1811.12019.pdf)", "line arxiv_id",
         [(2, "1811.12019")]),
        ("days in bold before papers in running text",
         ("# Log\n\n**Mon 1 Feb.** Random Graphs of Kind 1 by Mayor and Queloz (1995, Nature).\n\n"
         "**Tue 2 Feb.** Random Graphs of Kind 2 by Mayor and Queloz (1995, Nature).\n\n"
         "**Thu 4 Feb.** Random Graphs of Kind 4 by Mayor and Queloz (1995, Nature)."), "title authors year",
         [("Random Graphs of Kind 1", ("Mayor", "Queloz"), 1995),
         ("Random Graphs of Kind 2", ("Mayor", "Queloz"), 1995),
         ("Random Graphs of Kind 4", ("Mayor", "Queloz"), 1995)]),
        ("addresses line by line",
         "# To read\n\nhttps://doi.org/10.1126/science.1225829\nhttps://doi.org/10.1093/nar/25.17.3389", "doi",
         ["10.1126/science.1225829", "10.1093/nar/25.17.3389"]),
        ("two addresses below a title",
         "Random Graphs in the Plane\nhttps://arxiv.org/abs/1912.04958\nhttps://doi.org/10.1145/103162.103163",
         "title arxiv_id doi", [("Random Graphs in the Plane", "1912.04958", "10.1145/103162.103163")]),
        ("authors with links below a title", ("**Random Graphs in the Plane.**<br>\n"
         "*[Ana Kowalska](https://a.org/ana), [Ben Okoro](https://a.org/ben), Carla Mendes.*<br>\nCVPR 2020."),
         "title authors year", [("Random Graphs in the Plane", ("Ana Kowalska", "Ben Okoro", "Carla Mendes"), 2020)]),
        ("a journal in italics below a title",
         "**Paper:** The hippocampus as a map\n*Nat Neurosci* 2017; Stachen KL, Botvin MM, Gersh SJ",
         "title authors venue",
         [("The hippocampus as a map", ("Stachen KL", "Botvin MM", "Gersh SJ"), "Nat Neurosci")]),
        ("an identifier as the words of a link",
         "- On the Convergence of Ritz Vectors\n  - arXiv: [1109.6426](https://arxiv.org/abs/1109.6426)",
         "title arxiv_id", [("On the Convergence of Ritz Vectors", "1109.6426")]),
        ("a link without words above its title", ("A class of models, see [here](https://arxiv.org/abs/1905.11946).\n\n"
         "- [paper](https://arxiv.org/abs/1905.11946) “Rethinking Model Scaling for Networks”"), "title",
         ["Rethinking Model Scaling for Networks"]),
        ("a name as the words of a link above", ("[paper CosFace](https://arxiv.org/pdf/1801.09414)\n\n"
         "CosFace: Large Margin Cosine Loss for Deep Face Recognition"), "title arxiv_id",
         [("CosFace: Large Margin Cosine Loss for Deep Face Recognition", "1801.09414")]),
        ("a DOI behind a title and before a remark",
         "- *Salt Marshes as Carbon Sinks* doi:10.1126/science.1234567 - told by Ada", "title doi",
         [("Salt Marshes as Carbon Sinks", "10.1126/science.1234567")]),
        ("a DOI behind a comma", "- Salt Marshes as Carbon Sinks, 10.1126/science.1234567.", "title doi",
         [("Salt Marshes as Carbon Sinks", "10.1126/science.1234567")]),
        ("a DOI before a title", "- DOI: 10.1126/science.1234567 Salt Marshes as Carbon Sinks", "title doi",
         [("Salt Marshes as Carbon Sinks", "10.1126/science.1234567")]),
        ("names of files", "- deep-layer-aggregation-in-small-networks.pdf\n- 2101.00001v2.pdf\n- README.md\n",
         "title arxiv_id", [("deep layer aggregation in small networks", None), (None, "2101.00001")]),
        ("an address in the item below a title",
         "- [x] A Survey of Salt Marshes and Carbon\n- [ ] read https://arxiv.org/abs/2101.00001 (tides)\n",
         "title arxiv_id", [(None, "2101.00001")]),
        ("a link that cites by people and year",
         "- [Doe et al. 2014](https://arxiv.org/abs/1401.00001) began it all.\n", "title authors year",
         [(None, ("Doe",), 2014)]),
        ("titles in quotation marks in a sentence",
         ('The usual reference is "The Measurement of Tides" by Doe (1962), but I prefer Roe, "Carbon and the '
         'Methods of Marsh Research" (1970).\n'), "title year",
         [("The Measurement of Tides", 1962), ("Carbon and the Methods of Marsh Research", 1970)]),
        ("a word and a colon above lines",
         ('Required:\nBurt, J. (2004) "Salt Marshes and Good Ideas" Journal of Ecology 110\n'
         'Weber, M. (1922) "The Carbon of Marshes"\nOptional:\nnone\n'), "title year",
         [("Salt Marshes and Good Ideas", 2004), ("The Carbon of Marshes", 1922)]),
        ("heads of an HTML table", ("<table>\n<tr><th>Year</th><th>Title</th></tr>\n"
         "<tr><td>1976</td><td>The Measurement of Tides in Estuaries</td></tr>\n</table>\n"), "title year",
         [("The Measurement of Tides in Estuaries", 1976)]),
        ("days in a column", ("| Date | Paper |\n|---|---|\n| 2024-01-03 | *Small Things in Large Systems* (1978) |\n"
         "| 2024-01-09 | *Large Things in Small Systems* |"), "title year",
         [("Small Things in Large Systems", 1978), ("Large Things in Small Systems", 2024)]),
        ("a title about transactions behind a title",
         "- ~~Software Transactional Memory~~\n- Composable Memory Transactions — Harris, Marlow (PPoPP '05)\n",
         "title", ["Composable Memory Transactions"]),
        ("a cell of names and a year", ("| Title | By whom, when | Where |\n|---|---|---|\n"
         "| Cognitive Load During Problem Solving | Brown, Collins & Duguid, 1989 | ICML |\n"), "authors year",
         [(("Brown", "Collins", "Duguid"), 1989)]),
        ("an identifier alone", "- [x] arXiv:1706.03762", "title arxiv_id", [(None, "1706.03762")]),
        ("a number alone", "* 1706.03762", "arxiv_id", ["1706.03762"]),
        ("a DOI alone", "- 10.1145/3341301.3359646", "doi", ["10.1145/3341301.3359646"]),
        ("identifiers with remarks", "1706.03762 x read twice\n1810.04805 the second one\nhep-th/9711200 !", "arxiv_id",
         ["1706.03762", "1810.04805", "hep-th/9711200"]),
        ("two identifiers on a line", "1207.7214, 1207.7235 (two of a kind)", "arxiv_id", ["1207.7214", "1207.7235"]),
        ("an identifier as a name", "- [Paper cond-mat/0501002](https://arxiv.org/abs/cond-mat/0501002)",
         "title arxiv_id", [(None, "cond-mat/0501002")]),
        ("the proxy of a library", "- [Nets](https://dl-acm-org.ezproxy.example.edu/doi/10.1145/3341301.3359646)",
         "doi", ["10.1145/3341301.3359646"]),
        ("another proxy", "- [Nets](https://www.jstor.org.proxy.example.edu/stable/10.2307/1879431)", "doi",
         ["10.2307/1879431"]),
        ("numbers with decimals",
         ("It took 1203.45 seconds, or 2012.12 of the others.\n\n| system | loss |\n|---|---|\n| ours | 1706.0376 |\n"
         "| theirs | 1012.3456 |"), "title", []),
        ("boxes line by line",
         ("[ ] Sparse Graph Networks for Traffic Forecasting\n[x] A Survey of Road Detection in Aerial Images\n"
         "[ ] River Discharge Estimation with Recurrent Neural Networks"), "title",
         ["Sparse Graph Networks for Traffic Forecasting", "A Survey of Road Detection in Aerial Images",
         "River Discharge Estimation with Recurrent Neural Networks"]),
        ("several titles in a cell", ("| week | papers |\n|---|---|\n"
         "| 1 | Sparse Graph Networks for Traffic Forecasting <br> A Survey of Road Detection in Aerial Images "
         "<br> River Discharge Estimation with Recurrent Neural Networks |\n"
         "| 2 | Sparse Graph Networks for Traffic Forecasting II<br>A Survey of Road Detection in Aerial Images II |"),
         "title", ["Sparse Graph Networks for Traffic Forecasting", "A Survey of Road Detection in Aerial Images",
         "River Discharge Estimation with Recurrent Neural Networks",
         "Sparse Graph Networks for Traffic Forecasting II", "A Survey of Road Detection in Aerial Images II"]),
        ("several papers in a sentence",
         ("On maps: Smith et al. (2017) Sparse Graph Networks for Traffic Forecasting; Jones et al. (2019) A "
         "Survey of Road Detection in Aerial Images; Brown et al. (2020) River Discharge Estimation with "
         "Recurrent Neural Networks."), "title", ["Sparse Graph Networks for Traffic Forecasting",
         "A Survey of Road Detection in Aerial Images", "River Discharge Estimation with Recurrent Neural Networks"]),
        ("the name of a file in a wiki link", "- [[Gainza_et_al_2020_Sparse_Graph_Networks.pdf]]", "title authors year",
         [("Sparse Graph Networks", ("Gainza",), 2020)]),
        ("the key of a paper in a wiki link",
         "- [[henzingerSparseGraph2002|Sparse Graph Networks for Traffic Forecasting]]", "title authors year",
         [("Sparse Graph Networks for Traffic Forecasting", ("Henzinger",), 2002)]),
        ("a head of notes and links", ("| Title | Notes and links |\n|---|---|\n"
         "| Sparse Graph Networks for Traffic Forecasting | [link](https://arxiv.org/abs/1706.03762) |\n"
         "| A Survey of Road Detection in Aerial Images | [my notes](./roads.md) |"), "arxiv_id notes",
         [("1706.03762", ()), (None, ("./roads.md",))]),
        ("a year's column beside a title with a year",
         "| Year | Title | Venue |\n|---|---|---|\n| 2003 | 2001: The Collapse of Markets Explained | ICML |\n",
         "title year", [("2001: The Collapse of Markets Explained", 2003)]),
        ("words of a link on two lines",
         "- [A Byte Oriented, Streaming,\n  Zero Copy Library](https://arxiv.org/abs/1706.03762)", "title",
         ["A Byte Oriented, Streaming, Zero Copy Library"]),
        ("the bracket that closes an entry",
         ("- [Patterns of Citation in Networks](https://arxiv.org/abs/1304.0473), by A. Bell - a long remark of "
         "the owner on what it is about, a long remark of the owner on what it is about, a long remark of the "
         "owner on what it is about, a long remark of the owner on what it is about, a long remark of the owner "
         "on what it is about, (_Physical Review E_, 2013)."), "title year",
         [("Patterns of Citation in Networks", 2013)]),
        ("a reference broken into lines",
         "Ruiz, C. y Vega, M. (2010): Monitoring the Wells of\nNew Castile. Water Letters, 4, 2.\n", "title authors",
         [("Monitoring the Wells of New Castile", ("Ruiz, C.", "Vega, M."))]),
        ("a tag over several lines",
         '<p>2018\n<a\n  target="_blank"\n  href="https://example.org/x.pdf"\n  >Plastic in the Rivers</a></p>\n',
         "title line", [("Plastic in the Rivers", 5)]),
        ("lines between strokes",
         "| Lovelace, A. “Web Services for Sand”. Sands. (2016). |\n| Lovelace, A. “Moving Dunes”. Sands. (2005). |\n",
         "title year", [("Web Services for Sand", 2016), ("Moving Dunes", 2005)]),
        ("a year behind the authors in their column",
         "| Paper | Authors |\n|---|---|\n| [A Theory of Dunes](https://example.org/a.pdf) | Ada Lovelace,2017 |\n",
         "authors year", [(("Ada Lovelace",), 2017)]),
        ("reStructuredText",
         ("Reading\n-------\n\nDune notes\n~~~~~~~~~~\n\n-  `Lovelace A, Byron C. Counting the dunes\n"
         "   of the coast. Sands. 2009;10:37. <https://example.org/papers/1>`__\n"), "title url year",
         [("Counting the dunes of the coast", "https://example.org/papers/1", 2009)]),
        ("a book's journal over a line",
         "Lucia Verdi. *Carlo Alba*. «Rivista di storia\ndelle biblioteche», 86 (1989), p. 287-295.",
         "title year venue", [("Carlo Alba", 1989, "Rivista di storia delle biblioteche")]),
        ("a thesis below its link",
         "- [Pengurai Kalimat Bahasa](https://a.org/parser.pdf)\n\n  Nowak, Vera. Theses for computer science, 2007.",
         "title year", [("Pengurai Kalimat Bahasa", 2007)]),
        ("an article in bold",
         "**La traduction comme éclosion**\nIn : **Revue des Lettres**, N° 2, Université Saint-Esprit, **1996**",
         "title year venue", [("La traduction comme éclosion", 1996, "Revue des Lettres")]),
        ("a paper cited below its link", ("* 2025-03-04: Vera Nowak\n"
         '  [Alba & Verde 1967 (Nature 215)](https://doi.org/10.1038/215x): "_How Fogs Form_"'), "title authors year",
         [("How Fogs Form", ("Alba", "Verde"), 1967)]),
        ("a citation below a title", ("- A trial of a vaccine against fever in children.\n"
         "  Alba F, Verde G, Nowak X, et al. Lancet. 2021 Aug 21;398(10301):675-684."), "title authors year venue",
         [("A trial of a vaccine against fever in children", ("Alba F", "Verde G", "Nowak X"), 2021, "Lancet")]),
        ("people and a month below a title",
         ("**DesignNet: sequences of stable proteins.**  \nVera Nowak, Ugo Verde.  \n*Proteins, December 2019.*  \n"
         "[doi](https://doi.org/10.1002/prot.1)"), "title authors year venue",
         [("DesignNet: sequences of stable proteins", ("Vera Nowak", "Ugo Verde"), 2019, "Proteins")]),
        ("captions above addresses",
         ("**Nets**\n\n- https://doi.org/10.1000/a\n\n**Maps**\n\n- https://doi.org/10.1000/b\n"
         "- https://doi.org/10.1000/c"), "title", [None, None, None]),
        ("a definition",
         "- [Costs of power in grids](https://doi.org/10.1000/a)\n- ***net cost of power*** = all costs over demand",
         "title", ["Costs of power in grids"]),
        ("pages of code, of a meeting and of a journal", ("- [Costs of power in grids](https://doi.org/10.1000/a)\n"
         "- [alba/pools: Analysis of global pools in data and models](https://github.com/alba/pools)\n"
         "- [European Conference on Computer Vision](https://eccv.example)\n"
         "- [IEEE Transactions on Image Processing](https://tip.example)\n"), "title", ["Costs of power in grids"]),
        ("a title that ends with research",
         "- Learning from mistakes in climate research [pdf](https://example.org/a.pdf)", "title",
         ["Learning from mistakes in climate research"]),
        ("words for the text of a link",
         ("- Lovelace A, Hopper G, et al. Trial of early tides over reefs. N Engl J Med. 2015;372(14):1301-11. "
         "[Free full text](https://www.nejm.org/doi/full/10.1056/NEJMoa1500896)"), "title",
         ["Trial of early tides over reefs"]),
        ("initials of two letters",
         ("- Миллер, Дж. А. (Miller, J. A.) (1998). Attention and the Limits of Working Memory. *Journal of "
         "Cognition*, 4(2), 29-44."), "title year", [("Attention and the Limits of Working Memory", 1998)]),
        ("what a browser shows of the place", ("- [Theoretical Limits of Memory | Network Science | Some "
         "Press](https://direct.example.org/article/6/4/11.pdf)"), "title", ["Theoretical Limits of Memory"]),
        ("people and years on links in a sentence",
         "Readings: [Alba et al. (2005)](https://a.org/x.pdf); and [Gelman and Loken (2013)](https://a.org/y.pdf).",
         "title year", [(None, 2005), (None, 2013)]),
        ("people, years and journals on links",
         ("# Dunes and species\n\n* [Maddison 1997 Systematic Biology](https://example.org/articles/Ma)\n"
         "* [Wu & Ting 2001 Nature Genetics](https://example.org/articles/Wu)\n"
         "* [Meier et al 2017 Molecular Ecology](https://example.org/articles/Me)\n"), "title year",
         [(None, 1997), (None, 2001), (None, 2017)]),
        ("notes of a document",
         (".. [1] Alba, D., 1991.\n    Levels of organization in plants. Acta Biotheoretica, 39: 309-323.\n"
         ".. [2] Verde, Y. et Nowak, P., 1997.\n    Branching on the trunks of apple trees. Horticulture, 1(1): 5-6."),
         "title year", [("Levels of organization in plants", 1991), ("Branching on the trunks of apple trees", 1997)]),
        ("organisations in brackets",
         "## Papers\n\n- [Counting Slow Rivers from Space](https://arxiv.org/abs/2101.00001) (Microsoft, Intel) 2019",
         "title authors year", [("Counting Slow Rivers from Space", (), 2019)]),
        ("packed dates and acronyms", ("## Papers\n\n- 20190801 IJCAI-19 Learning to Fold Paper with Robots\n"
         "- 20190802 IJCAI-19 A Theory of Quiet Markets\n"), "title year",
         [("Learning to Fold Paper with Robots", 2019), ("A Theory of Quiet Markets", 2019)]),
        ("surnames behind a comma",
         "- Counting Slow Rivers from Space, CVPR 2019\n- A Theory of Quiet Markets, Smith, Jones and Brown, 2019\n",
         "title authors",
         [("Counting Slow Rivers from Space", ()), ("A Theory of Quiet Markets", ("Smith", "Jones", "Brown"))]),
        ("people whose surnames are words", ("## Papers\n\n"
         "- Anna Berg, Guodong Long, Zhe Gan, and Jules White. 2018. [Counting Slow Rivers from "
         "Space](https://arxiv.org/abs/2101.00001). In *ACL 2018*."), "title authors year",
         [("Counting Slow Rivers from Space", ("Anna Berg", "Guodong Long", "Zhe Gan", "Jules White"), 2018)]),
        ("days behind titles", ("# Papers\n\n* Learning to Fold Paper with Neural Networks 20 Apr 2019 arxiv\n"
         "* A Fast Method for Image Segmentation 21 Apr 2019 arxiv\n"), "title year",
         [("Learning to Fold Paper with Neural Networks", 2019), ("A Fast Method for Image Segmentation", 2019)]),
        ("addresses in front of titles",
         ("# Fluids\n\n- https://arxiv.org/abs/1801.00000\nA Spectral Method for Fluids\n"
         "https://arxiv.org/abs/1801.00001\nWave Breaking over a Reef\n"), "title arxiv_id",
         [("A Spectral Method for Fluids", "1801.00000"), ("Wave Breaking over a Reef", "1801.00001")]),
        ("a link in prose that holds no title",
         ("# Notes\n\nthe new method is somewhat faster than what we had before and it needs no tuning, as they\n"
         "say in [their preprint](https://arxiv.org/abs/1801.00000), which i have only skimmed\n"), "title arxiv_id",
         [(None, "1801.00000")]),
        ("names of methods beside links", ("# Methods\n\n| Method | Paper | Venue | Year |\n|---|---|---|---|\n"
         "| MeshNet | [link](https://arxiv.org/abs/1801.00000) | JFM | 2018 |\n"
         "| SpecRot | [link](https://arxiv.org/abs/1801.00001) | JFM | 2018 |\n"), "title arxiv_id",
         [("MeshNet", "1801.00000"), ("SpecRot", "1801.00001")]),
        ("a term and its definition",
         ("# Fluids\n\nWave Breaking over a Submerged Reef\n:   Ada Lovelace, *Physics of Fluids* 20 (1998), 10-19.\n\n"
         "A Spectral Method for Rotating Fluids\n:   Ada Lovelace, *Physics of Fluids* 21 (1998), 10-19.\n"),
         "title year line last_line",
         [("Wave Breaking over a Submerged Reef", 1998, 3, 4), ("A Spectral Method for Rotating Fluids", 1998, 6, 7)]),
        ("a person and several definitions",
         "# Fluids\n\nAda Lovelace\n: Wave Breaking over a Reef, 1998\n: A Spectral Method for Fluids, 1999\n",
         "title year", [("Wave Breaking over a Reef", 1998), ("A Spectral Method for Fluids", 1999)]),
        ("venue and year in code", ("# Fluids\n\n- **Wave Breaking over a Reef**, *Lovelace et al.*, `NeurIPS 2022`\n"
         "- `ICML 2021` **A Spectral Method for Fluids**\n"), "title venue year",
         [("Wave Breaking over a Reef", "NeurIPS", 2022), ("A Spectral Method for Fluids", "ICML", 2021)]),
        ("the title of a journal behind in", ("# Literatur\n\n"
         "- Hans Meier, Zeitgeschichte als Aufgabe, in: Archiv für Kulturgeschichte 1 (1991), S. 15–19.\n"
         "- Ute Frey, Stadt und Land im Wandel, in: Archiv für Kulturgeschichte 2 (1992), S. 25–29.\n"),
         "title authors venue", [("Zeitgeschichte als Aufgabe", ("Hans Meier",), "Archiv für Kulturgeschichte"),
         ("Stadt und Land im Wandel", ("Ute Frey",), "Archiv für Kulturgeschichte")]),
        ("titles with numbers of institutions",
         "**Sparse Attention for Long Proteins** \\\n*Ana Lopez<sup>1,2</sup>, Bo Lind<sup>*</sup>* \\\narXiv 2021\n",
         "title authors", [("Sparse Attention for Long Proteins", ("Ana Lopez", "Bo Lind"))]),
        ("surnames and a journal below a title",
         "Sparse Attention for Long Protein Sequences\nLopez, Miller. J. Comput. Phys. 2018.\n", "title authors year",
         [("Sparse Attention for Long Protein Sequences", ("Lopez", "Miller"), 2018)]),
        ("an address beside the one citation",
         "- Reading Lists as They Are Written (Ames et al., NeurIPS 2017)\n\n- https://arxiv.org/abs/1504.08083\n",
         "title arxiv_id", [("Reading Lists as They Are Written", None), (None, "1504.08083")]),
        ("the same in paragraphs", ("# Papers\n\nReading Lists as They Are Written (Ames et al., NeurIPS 2017)\n\n"
         "https://arxiv.org/abs/1504.08083\n"), "title arxiv_id",
         [("Reading Lists as They Are Written", None), (None, "1504.08083")]),
        ("how to cite the list",
         ("- [BERT](https://arxiv.org/abs/1810.04800)\n- [GPipe](https://arxiv.org/abs/1810.04801)\n```bibtex\n"
         "@misc{me, title={A Survey of Reading Lists That People Write}, author={Doe, Jane}, year={2024}}\n```\n"),
         "title", ["BERT", "GPipe"]),
        ("how to cite the list, and nothing else", ("```bibtex\n@misc{me, title={A Survey of Reading Lists}, "
         "author={Doe, Jane}, year={2024}}\n```\n"), "title authors", [("A Survey of Reading Lists", ("Jane Doe",))]),
        ("an entity in an address", '- <a href="https://a.org/x.pdf?a=1&amp;b=2">On Small Things</a>', "title url",
         [("On Small Things", "https://a.org/x.pdf?a=1&b=2")]),
        ("semicolons between titles",
         ("- Band Alignment of Semiconductors for Heterostructures; Insight into Two-Dimensional Borophene and its "
         "Superconductivity"), "title", ["Band Alignment of Semiconductors for Heterostructures",
         "Insight into Two-Dimensional Borophene and its Superconductivity"]),
        ("semicolons between names", "- Smith, J.; Miller, A. Deep Learning for Small Graphs; a second look. 2019",
         "title authors", [("Deep Learning for Small Graphs", ("Smith, J.", "Miller, A."))]),
        ("a title behind people and a year",
         ("#### Rubin (1974) - Estimating causal effects of treatments in studies\n\nIt came first.\n\n"
         "#### Pearl (1995) - Causal diagrams for empirical research\n\nA calculus.\n\n"
         "#### Angrist and Rubin (1996) - Identification of causal effects with instruments\n"), "title year",
         [("Estimating causal effects of treatments in studies", 1974),
         ("Causal diagrams for empirical research", 1995),
         ("Identification of causal effects with instruments", 1996)]),
        ("names that only an ampersand joins",
         "- O'Keefe & Dostrovsky 1971. The hippocampus as a spatial map. Preliminary evidence from the rat",
         "title authors year", [("The hippocampus as a spatial map", ("O'Keefe", "Dostrovsky"), 1971)]),
        ("a remark in another script below titles",
         ("* Index\n    * A Distributed Storage for Structured Data<br>\n这篇论文介绍了一个新的方法，它更快更好。\n"
         "    * Learning Multi-dimensional Indexes<br>\n这篇论文介绍了一个新的方法，它更快更好。\n"), "title",
         ["A Distributed Storage for Structured Data", "Learning Multi-dimensional Indexes"]),
    ],
)  # fmt: skip
def test_the_papers_of_a_few_lines_are_read_and_nothing_else(what, text, fields, found):
    names = fields.split()
    told = [tuple(getattr(mention, name) for name in names) for mention in parse_reading_list(text).mentions]
    assert (told if len(names) > 1 else [value for (value,) in told]) == found


@for_each(
    ("text", "title"),
    [
        ("- [A Title of Some Paper](https://arxiv.org/abs/1706.03762)", "A Title of Some Paper"),
        ("[Going Deeper with Convolutions]() (ILSVRC 14)", "Going Deeper with Convolutions"),
        ("- Deep Layer Aggregation [[pdf](https://a.org/x.pdf)]", "Deep Layer Aggregation"),
        ("- Deep Layer Aggregation\n  - [paper](https://a.org/x.pdf)", "Deep Layer Aggregation"),
        ("- LAMB\n  - Google, [paper](https://openreview.net/pdf?id=Syx4wnEtvH)", "LAMB"),
        ("- https://arxiv.org/abs/1706.03762", None),
        ("- https://a.org/Deep%20Learning%20for%20Graphs%20-%202018.pdf", "Deep Learning for Graphs"),
        ("### J. Doe et al. [On Small Things](http://a.org/x.pdf) NIPS 2014", "On Small Things"),
        ("- [On Small Things [J. Doe, R. Roe]](http://arxiv.org/abs/2101.00001)", "On Small Things"),
        ("- **DDP**: PyTorch Distributed Training. VLDB'20", "PyTorch Distributed Training"),
        ("- ~~[On Small Things](http://a.org/x.pdf)~~", "On Small Things"),
        ("Title of one\n-----------\n\n* J. Doe. On small things. _Mind_, 1950.", "On small things"),
        ("- [x] [On Small Things](http://a.org/x.pdf)", "On Small Things"),
        ("1) [On Small Things](http://a.org/x y.pdf)", "On Small Things"),
        ("- Robust Control of Random Graphs -> Anna talks about it", "Robust Control of Random Graphs"),
        ("- On Small Things in Large Networks [[2 Sep 2019]](https://arxiv.org/abs/1909.00781)",
         "On Small Things in Large Networks"),
        ("- Fast Decoding for Deep Models(@Some Company) [[pdf]](https://arxiv.org/pdf/1811.03115)",
         "Fast Decoding for Deep Models"),
        (
         "- 🔥[**Parallel Decoding**] Blockwise Decoding for Deep Autoregressive Models [pdf](https://arxiv.org/pdf/1811.03115)",
         "Blockwise Decoding for Deep Autoregressive Models"),
        ("- Random Graphs in the Plane and Their Colours, 2017 ⭐⭐⭐", "Random Graphs in the Plane and Their Colours"),
        ("- Random Graphs in the Plane and Their Colours :star: :star:",
         "Random Graphs in the Plane and Their Colours"),
        ("- On Random ~~Grphs~~ Graphs in the Plane (2014)", "On Random Graphs in the Plane"),
        ("- ~~On Random Graphs in the Plane~~ Erdős et al. 1959", "On Random Graphs in the Plane"),
    ],
)  # fmt: skip
def test_the_title_is_read_without_what_stands_beside_it(text, title):
    assert only(text).title == title


@for_each(
    "text",
    [
        "- [horovod](https://github.com/horovod/horovod)",
        "- [CS231n: Convolutional Networks](http://cs231n.stanford.edu/)",
        "- [Lecture 3: Overview](http://a.edu/pdf/lecture3.pdf)",
        "- [A Talk about Deep Learning Systems](https://www.youtube.com/watch?v=1)",
        "- [How AI training scales](https://openai.com/blog/science-of-ai/)",
        "- [Backbones](#backbones)\n- [Tools](#tools)",
        "- [NVLink](./hardware/nvlink.md): a fast link",
        "> Proposed a backend for distributed training of deep networks.",
        "---\ntitle: On Small Things, NIPS 2014\n---\n", "Please send a pull request if a paper is missing.",
        "```\n[A Title of Some Paper](https://arxiv.org/abs/1706.03762)\n```",
        "<!-- [A Title](https://arxiv.org/abs/1706.03762) -->",
        "![A Title of Some Paper](https://a.org/x.png)", "",
    ],
)  # fmt: skip
def test_what_is_no_paper_is_no_mention(text):
    assert parse_reading_list(text).mentions == ()


def test_fields_of_a_full_entry():
    mention = only(
        "## NLP\n\n- ~~**BERT**: [Pre-training of Transformers](https://arxiv.org/pdf/1810.04805v2.pdf)~~ "
        "(NAACL'19) [笔记](n.md)\n"
    )
    assert (mention.line, mention.last_line) == (3, 3)
    assert mention.title == "Pre-training of Transformers"
    assert mention.name == "BERT"
    assert (mention.year, mention.venue) == (2019, "NAACL")
    assert (mention.arxiv_id, mention.arxiv_version) == ("1810.04805", 2)
    assert mention.url == "https://arxiv.org/pdf/1810.04805v2.pdf"
    assert mention.section == ("NLP",)
    assert mention.notes == ("n.md",)
    assert mention.struck
    assert mention.reasons


def test_a_link_copied_from_the_entry_above_is_withheld():
    first, second = parse_reading_list(
        "- [Efficient Dense Mapping of Indoor Scenes](https://arxiv.org/abs/2211.11704)\n"
        "- [Learning Policies from Human Preferences Online](https://arxiv.org/abs/2211.11704)\n"
    ).mentions
    assert first.arxiv_id == "2211.11704"
    assert second.arxiv_id is None
    assert [finding.code for finding in second.findings] == ["link-repeated-under-another-title"]


def test_the_list_has_the_title_of_its_first_heading():
    assert parse_reading_list("# Reading\n\n## More").title == "Reading"
    assert parse_reading_list("no heading").title is None


def test_importing_the_parser_needs_neither_prefect_nor_duckdb():
    heavy = "prefect|duckdb|pyarrow|requests|httpx|arxiv|semanticscholar|rich|typer"
    code = f"import sys, sources.lists.reading; print([name for name in '{heavy}'.split('|') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@for_each(
    ("text", "title", "authors"),
    [
        ("- Lattice paths with catastrophes, Banderier & Wallner", "Lattice paths with catastrophes", 2),
        ("- Bose & Smid 2017: Online unit clustering in the plane", "Online unit clustering in the plane", 2),
        ("- Wijaya & Arach - Programmers and the Security of Users", "Programmers and the Security of Users", 2),
        ("- Instability of de Sitter Space", "Instability of de Sitter Space", 0),
        ("- Una introducción a la historia de España", "Una introducción a la historia de España", 0),
        ("- Networks, Crowds & Markets", "Networks, Crowds & Markets", 0),
        ("- Retrieval & Generation - A Survey of Methods", "Retrieval & Generation - A Survey of Methods", 0),
    ],
)
def test_two_surnames_that_a_sign_joins_are_authors(text, title, authors):
    (block,) = read_document(text).blocks
    ((draft,),) = drafts_by_rule([block])
    assert (draft.citation.title, len(draft.citation.authors)) == (title, authors)


@for_each("name", ["H. Lu. Springer Vision", "and Nickolai Zeldovich Linux", "YK. Lai and SM. Hu", "ICML. Vol"])
def test_what_is_left_of_names_and_volumes_is_no_journal(name):
    assert dated_journal(f"{name} 2012") is None


READINGS = """# Readings

| Week | {head} | {people} |
|------|--------|---------|
| 1 | Quality Uncertainty and the Market Mechanism for Used Cars | Akerlof |
| 2 | Job Market Signaling | Spence |
| 3 | Equilibrium in Competitive Insurance Markets | Rothschild & Stiglitz |
"""


def test_a_short_title_stands_in_the_column_of_the_other_titles_where_a_column_names_authors():
    titles = [mention.title for mention in parse_reading_list(READINGS.format(head="Text", people="Authors")).mentions]
    assert titles[1] == "Job Market Signaling"
    titles = [mention.title for mention in parse_reading_list(READINGS.format(head="Topic", people="Room")).mentions]
    assert "Job Market Signaling" not in titles


def test_a_title_behind_a_long_list_of_authors_with_initials_is_found():
    authors = "PANCHENKO, A.; USTALOV, D.; FARALLI, S.; PONZETTO, S.P.; et al."
    text = f"{authors} **Improving Extraction with Distributional Semantic Classes**. arXiv:1711.02918, 2017."
    ((draft,),), _ = records_of(read_document(text).blocks)
    assert draft.title == "Improving Extraction with Distributional Semantic Classes"


@for_each(
    ("text", "foreign"),
    [
        ("Una lista de artículos que me han gustado, con los comentarios que escribí para el grupo y las notas.", True),
        ("Список статей, которые мы читаем в этом году на семинаре, и короткие заметки к каждой из них.", True),
        ("这里是我们今年读过的论文，每篇都有简短的笔记和代码链接，欢迎补充新的论文和意见。", True),
        ("A list of the papers that we read this year, with short notes on each of them, in order of interest.", False),
        ("Machine learning, deep learning, networks, systems, https://un.es/la/los/para", False),
    ],
)
def test_language_of_a_list_is_told_by_its_remarks(text, foreign):
    assert is_in_other_language(read_document(text).blocks) is foreign


def test_language_of_a_title_is_told_by_its_small_words():
    assert language_of("The Unreasonable Effectiveness of Mathematics") == "in another language than the list"
    assert language_of("Comprar el libro para las clases") == "in the list's own language"
    assert language_of("Ask about the book de la semana y el lunes") == "in the list's own language"
    assert (
        language_of("Notes on the history of the river and the Alpen und Seen") == "partly in the list's own language"
    )


def test_venue_and_year_alone_are_no_title_whatever_the_other_entries_have_there():
    entries = [
        "- 2015 | ICLR | VGG | Very Deep Convolutional Networks for Large-Scale Image Recognition | [notes](a.md)",
        "- 2015 | CVPR | GoogLeNet | Going Deeper with Convolutions | [notes](b.md)",
        "- 2016 | CVPR | ResNet | Deep Residual Learning for Image Recognition | [notes](c.md)",
        "- 2017 | CVPR | DenseNet | Densely Connected Convolutional Networks | todo",
        "- 2018 | CVPR | SENet | Squeeze-and-Excitation Networks | todo",
    ]
    titles = [mention.title for mention in parse_reading_list("\n".join(entries)).mentions]
    assert [title.rsplit(" | ", 1)[-1] for title in titles] == [entry.split(" | ")[3] for entry in entries]


@for_each("joint", ["\n  ", "  \n  ", "\\\n  ", "<br>\n  "])
@for_each("mark", ["{}", "**{}**", "*{}*", '"{}"'])
@for_each("bullet", ["- ", "3. ", ""])
def test_authors_title_and_place_on_a_line_each_are_one_record(joint, mark, bullet):
    records = [
        ("Leslie Lamport", "Time, Clocks, and the Ordering of Events", "Comm. ACM, 1978"),
        ("Sanger F, Nicklen S, Coulson AR", "DNA sequencing with chain-terminating inhibitors", "PNAS 74, 5463 (1977)"),
        ("Müller, Klaus; Schmidt, Hans", "Zur Theorie der Gesellschaftsspiele", "Mathematische Annalen, 1928"),
        ("Kipf and Welling", "Semi-Supervised Classification with Graphs", "ICLR 2017"),
    ]
    text = "\n\n".join(bullet + joint.join((people, mark.format(title), place)) for people, title, place in records)
    found = parse_reading_list(f"# Papers\n\n{text}\n").mentions
    assert [mention.title for mention in found] == [title for _, title, _ in records]
    assert [len(mention.authors) for mention in found] == [1, 3, 2, 2]


def test_a_line_of_a_journal_and_its_volume_belongs_to_the_title_above_it():
    records = [
        (f"Ames, A., & Bell, B. ({year})", f"A Survey of {what} in Distant Galaxies", f"*{journal}*, {volume}")
        for year, what, journal, volume in [
            (2001, "Dust", "Astronomy & Astrophysics", "641, A6."),
            (2004, "Rotation", "Physical Review D", "69(10), 103501."),
            (2007, "Magnetic Fields", "Living Reviews in Relativity", "4(1), 1."),
        ]
    ]
    blocks = [
        f'**[{number}] {people}**  \n"{title}"  \n{place}  \nDOI: [10.5555/{number}](https://doi.org/10.5555/{number})'
        for number, (people, title, place) in enumerate(records, 1)
    ]
    mentions = parse_reading_list("\n\n---\n\n".join(blocks)).mentions
    assert [(mention.title, mention.doi) for mention in mentions] == [
        (title, f"10.5555/{number}") for number, (_, title, _) in enumerate(records, 1)
    ]


def test_a_title_as_heading_has_the_authors_and_the_link_below():
    entry = "### *{0}*\n\n**Författare**: {1}\n\n**[Länk](https://example.org/papers/{2}.pdf)**\n\n"
    titles = "Lamps as Functions of the Night", "A Small Language for Describing Bridges", "How Wells Are Measured"
    text = "".join(entry.format(title, "Ivar Lund", at) for at, title in enumerate(titles))
    found = parse_reading_list(text).mentions
    assert [(mention.title, mention.authors) for mention in found] == [(title, ("Ivar Lund",)) for title in titles]
