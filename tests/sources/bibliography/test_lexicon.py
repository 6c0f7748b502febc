"""The lexicon: what it knows, what it weighs, and when it is read."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from sources.bibliography.lexicon import WORDS, frequency, frequent_words, is_listed
from tests.matrices import for_each

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = files("sources.bibliography") / "data"
BY_FIELD = {
    "medicine": "hyperkalemia hypokalemia bradycardia dysphagia myocarditis afferent",
    "biology": "mitosis meiosis phylogeny ribosome chloroplast endosymbiosis",
    "chemistry": "nitrite nitrate ethane ethyne stoichiometry carboxylic",
    "physics": "photon proton muon boson magnetohydrodynamics superconductivity",
    "mathematics": "cohomology diffeomorphism monomorphism sobolev sheaf noetherian",
    "computer science": "backpropagation bytecode multithreading hypervisor autoencoder cryptography",
}


@for_each("field", BY_FIELD)
def test_the_words_of_every_field_are_in_the_lexicon(field):
    assert [word for word in BY_FIELD[field].split() if not is_listed(word)] == []


def test_the_first_and_the_last_word_are_found_and_nothing_beside_them():
    import lzma

    words = lzma.decompress((DATA / WORDS).read_bytes()).decode().split("\n")[:-1]
    assert words == sorted(set(words))
    for word in (words[0], words[1], words[-2], words[-1], *words[:: len(words) // 500]):
        assert is_listed(word)
    assert not is_listed("")
    assert not is_listed(words[-1] + "q")


def test_a_possessive_without_its_apostrophe_is_a_word():
    assert is_listed("schrodingers")
    assert [word for word in "nerual quantm transfomer netwroks a zzyzzx".split() if is_listed(word)] == []


def test_frequencies_are_shares_of_titles_and_rare_words_have_none():
    assert 0.05 < frequency("learning") < 0.2
    assert frequency("learning") > frequency("carbon") > 0
    assert frequency("hyperkalemia") == 0
    assert frequent_words() >= {"learning", "carbon"}


@for_each(
    ("code", "read"),
    [
        ("import sources.matching.resolve, flows.commands.parse, sources.lists.reading", False),
        ("from sources.matching.word_match import compare_words; compare_words('model', 'model')", False),
        ("from sources.matching.word_match import compare_words; compare_words('modle', 'model')", True),
    ],
)
def test_the_lexicon_is_read_when_a_word_is_looked_up_and_not_before(code, read):
    report = "; from sources.bibliography import lexicon; print(lexicon._words.cache_info().currsize)"
    done = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=False, cwd=REPOSITORY
    )
    assert done.stdout.split()[-1] == str(int(read)), done.stderr
