"""Names of authors: persons in their parts, groups in one piece, and what each is called by."""

from sources.bibliography.names import Name, distinctive_name, is_group, parse_name, same_person, split_name
from tests.matrices import for_each


def parts(text: str) -> tuple[str, str, str, str]:
    name = split_name(text)
    assert not name.literal, name
    return name.particle, name.family, name.suffix, name.given


@for_each(
    ("text", "told"),
    [
        ("Smith, John", ("", "Smith", "", "John")),
        ("J.R.R. Tolkien", ("", "Tolkien", "", "J.R.R.")),
        ("John Smith, Jr.", ("", "Smith", "Jr.", "John")),
        ("Smith, Jr., John", ("", "Smith", "Jr.", "John")),
        ("John Smith, Ph.D.", ("", "Smith", "", "John")),
        ("Dr. Jane Doe", ("", "Doe", "", "Jane")),
        ("de Freitas N", ("de", "Freitas", "", "N")),
        ("van der Maaten, Laurens", ("van der", "Maaten", "", "Laurens")),
        ("Yann Le Cun", ("", "Le Cun", "", "Yann")),
        ("Thanh Van Nguyen", ("", "Nguyen", "", "Thanh Van")),
        ("García Márquez, Gabriel", ("", "García Márquez", "", "Gabriel")),
        ("Santiago Ramón y Cajal", ("", "Ramón y Cajal", "", "Santiago")),
        ("Di He", ("", "He", "", "Di")),
        ("Ashish Vaswani*", ("", "Vaswani", "", "Ashish")),
        ("Haogang Chen 0001", ("", "Chen", "", "Haogang")),
    ],
)
def test_a_persons_name_is_taken_apart_in_whatever_form_it_is_written(text, told):
    assert parts(text) == told


@for_each("text", ["张伟", "김 민수", "山田 太郎", "Plato", "LeCun", "a, b, c, d, e", "Half {Brace"])
def test_what_cannot_be_taken_apart_stays_in_one_piece_and_in_its_order(text):
    assert split_name(text) == Name(literal=text)
    assert not is_group(text)


@for_each(
    ("text", "called"),
    [
        ("The ATLAS Collaboration", "ATLAS"),
        ("Collaboration, ATLAS", "ATLAS"),
        ("International Human Genome Sequencing Consortium", "Human"),
        ("Team OLMo", "OLMo"),
        ("OpenAI", "OpenAI"),
        ("University of Toronto", "Toronto"),
        ("R Core Team", "R"),
    ],
)
def test_a_group_stays_in_one_piece_and_is_called_by_what_tells_it_from_others(text, called):
    assert is_group(text)
    assert split_name(text).literal == text
    assert distinctive_name(text) == called
    assert parse_name(text) is None


@for_each(
    ("text", "called"),
    [
        ("Ashish Vaswani", "Vaswani"),
        ("García Márquez, Gabriel", "García Márquez"),
        ("Luc Van Gool", "Gool"),
        ("King, Jr., Martin Luther", "King"),
        ("Du, Simon", "Du"),
        ("", ""),
    ],
)
def test_a_person_is_called_by_the_family_name(text, called):
    assert distinctive_name(text) == called


@for_each(
    ("one", "other"),
    [
        ("John Smith Jr.", "Smith, J., Jr."),
        ("Li B", "Bo Li"),
        ("Kim U H", "Uehwan H. Kim"),
        ("Haogang Chen 0001", "H. Chen"),
        ("De Schutter B", "Bart De Schutter"),
        ("LeCun et. al", "Yann LeCun"),
        ("Jürgen Müller", "J. Mueller"),
        ("Ł. Kaiser", "Lukasz Kaiser"),
        ("Xu Mengwei", "Mengwei Xu"),
        ("L. S", "Lakshmi S"),
        ("van 't Hoff, J. H.", "Jacobus van ’t Hoff"),
    ],
)
def test_one_person_is_recognised_in_two_forms(one, other):
    assert same_person(parse_name(one), parse_name(other))


@for_each(
    ("one", "other"),
    [
        ("Li B", "Cong Li"),
        ("John Smith Jr.", "Jane Roe Jr."),
        ("K. S", "Lakshmi S"),
        ("'t Hooft, G.", "Gerard ’t Hart"),
    ],
)
def test_two_persons_stay_two(one, other):
    assert not same_person(parse_name(one), parse_name(other))
