r"""Authors in one text, as arXiv's raw format has them."""

from sources.services.arxiv.oai import parse_authors
from tests.matrices import for_each


@for_each(
    ("text", "names"),
    [
        (r"Ada Lovelace, Charles Babbage and \'Edgar Rold\'an", "Ada Lovelace|Charles Babbage|Édgar Roldán"),
        ("A. Smith (1), B. Jones (2 and 3), C. Miller ((1) MIT, (2) ETH (Z))", "A. Smith|B. Jones|C. Miller"),
        ("Martin King, Jr., John Smith, III and X. Y", "Martin King Jr.|John Smith III|X. Y"),
        ("ATLAS Collaboration: G. Aad, B. Abbott, et al. (2900 others)", "ATLAS Collaboration|G. Aad|B. Abbott"),
        ("J. Doe, on behalf of the LHCb collaboration", "J. Doe|the LHCb collaboration"),
        ("J. Doe for the ALICE Collaboration", "J. Doe|the ALICE Collaboration"),
        ("Keck Array, BICEP2 Collaborations: P. Ade", "Keck Array|BICEP2 Collaborations|P. Ade"),
        ("Ludwig van Beethoven, Vincent van 't Hoff & Al Gore", "Ludwig van Beethoven|Vincent van 't Hoff|Al Gore"),
        (r"Ren\'e Descartes {\it et al.}", "René Descartes"),
        ("A. Author and B. Author, and C. Author", "A. Author|B. Author|C. Author"),
        (r"I. N\'emeti (R\'enyi Institute", "I. Németi"),
        ("Sandy Anderson, Alexandra Fordham", "Sandy Anderson|Alexandra Fordham"),
        (r"D. Armstrong$^{1,2}$, P. Smith\thanks{Supported by A, B}", "D. Armstrong|P. Smith"),
        (r"Jos\'e~Mar\'\i a Fern\'andez, {\O}yvind {\L}o\'s", "José María Fernández|Øyvind Łoś"),
        ("李明, 王伟", "李明|王伟"),
        ("", ""),
    ],
)  # fmt: skip
def test_authors_stand_apart_by_commas_and_words(text, names):
    assert "|".join(parse_authors(text)) == names
