"""References that stand by themselves: titles with a number like a year or with a part, in many languages."""

from __future__ import annotations

from sources.lists.reading import parse_reading_list
from tests.matrices import for_each


def _read(*entries: str) -> list[tuple[str | None, tuple[str, ...], int | None]]:
    text = "\n".join(f"- {entry}" for entry in entries)
    return [(mention.title, mention.authors, mention.year) for mention in parse_reading_list(text).mentions]


@for_each(
    ("entry", "year"),
    [
        ("<1984 Revisited: Surveillance and the State>. Journal of Politics, 2010", 2010),
        ("<2001: A Space Odyssey in Machine Vision>. Film Quarterly 2011.", 2011),
        ("Reid, A., & Stone, B. (2006). <1918 influenza in the cities>. Health, 12(1), 15-22.", 2006),
        ("J. Smith. <1989 and after>. Journal of Politics, 2010.", 2010),
        ("[<2000 Years of Inequality in Skeletons>](https://example.org/a.pdf) (2021)", 2021),
        ("[2016] <2020 Vision: Forecasting the Next Years>. ICML", 2016),
        ("2010 - <1984 Revisited in the Archives of the State>", 2010),
        ("2017 <Deep Networks for Speech Recognition>. ICASSP 2017", 2017),
        ("2018 <Deep Networks for Speech Recognition>", 2018),
        ("2016: <Deep Networks for Speech Recognition>, ICLR 2017", 2016),
    ],
)
def test_a_number_like_a_year_begins_a_title_where_the_year_stands_elsewhere(entry, year):
    title = entry[entry.index("<") + 1 : entry.index(">")]
    found = _read(entry.replace("<", "").replace(">", ""))
    assert [(read, told) for read, _, told in found] == [(title, year)]


def test_a_number_begins_the_title_of_a_row_whose_year_has_a_column():
    table = "| Year | Title | Venue |\n|---|---|---|\n| 2003 | 2001: The Collapse of Markets Explained | ICML |\n"
    (mention,) = parse_reading_list(table).mentions
    assert (mention.title, mention.year) == ("2001: The Collapse of Markets Explained", 2003)


@for_each(
    ("entry", "title", "author", "year"),
    [
        ("Müller, K.: Über die Grundlagen der Geometrie. Teil II. Math. Annalen 1899.",
         "Über die Grundlagen der Geometrie. Teil II", "Müller, K.", 1899),
        ("Dupont, J.: Sur les fonctions entières. Deuxième partie. Acta Mathematica 1902.",
         "Sur les fonctions entières. Deuxième partie", "Dupont, J.", 1902),
        ("Jansen, P.: Over de grondslagen der meetkunde. Deel III. Nieuw Archief voor Wiskunde 1921.",
         "Over de grondslagen der meetkunde. Deel III", "Jansen, P.", 1921),
        ("Landau, E.: Handbuch der Verteilung der Primzahlen, Bd. 1. Teubner 1909.",
         "Handbuch der Verteilung der Primzahlen, Bd. 1", "Landau, E.", 1909),
        ("Kowalski, J.: O podstawach geometrii. Część II. Fundamenta Mathematicae 1923.",
         "O podstawach geometrii. Część II", "Kowalski, J.", 1923),
        ("Artin, E.: Über eine neue Art von L-Reihen. Hamb. Abh. 1923.",
         "Über eine neue Art von L-Reihen", "Artin, E.", 1923),
    ],
)  # fmt: skip
def test_a_reference_by_itself_is_a_mention_with_its_part_in_any_language(entry, title, author, year):
    assert _read(entry) == [(title, (author,), year)]


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


@for_each(
    ("entry", "authors"),
    [
        ("王伟, 李娜. <基于深度学习的图像识别方法综述>[J]. 计算机学报, 2010, 33(2): 1-10.", "王伟 李娜"),
        ("陈晓明、刘建国：《<中国城市化进程研究>》，《经济研究》，2005年第3期。", "陈晓明 刘建国"),
        ("王伟，李娜（2010）。<知识图谱构建方法研究>。《情报学报》，29(3)，100-110。", "王伟 李娜"),
        ("高文;陈熙霖;<计算机视觉的现状与展望>;计算机学报;2008", "高文 陈熙霖"),
        ("山田太郎，鈴木一郎「<深層学習による画像認識>」『情報処理学会論文誌』2010年", "山田太郎 鈴木一郎"),
        ("田中健, 高橋誠: <確率的勾配法の収束解析>, 人工知能学会論文誌, Vol. 25, pp. 1-10 (2010).", "田中健 高橋誠"),
        ("김철수, 이영희. <딥러닝 기반 한국어 형태소 분석>. 정보과학회논문지, 2017.", "김철수 이영희"),
    ],
)
def test_a_reference_in_asian_letters_is_a_mention_with_its_authors(entry, authors):
    title = entry[entry.index("<") + 1 : entry.index(">")]
    found = _read(entry.replace("<", "").replace(">", ""))
    assert [(read, people) for read, people, _ in found] == [(title, tuple(authors.split()))]


@for_each(
    ("entry", "authors"),
    [
        ("Иванов И. И., Петров А. Б. <Методы обучения в задачах прогноза> // Журнал. 2010. Т. 5. С. 1–10.", 2),
        ("И. И. Иванов, А. Б. Петров. <О сходимости методов>. Математический сборник, 1984.", 2),
        ("Колмогоров А.Н. <О представлении функций нескольких переменных>. Доклады АН СССР, 1957.", 1),
    ],
)
def test_a_reference_in_cyrillic_letters_is_a_mention_with_its_authors(entry, authors):
    title = entry[entry.index("<") + 1 : entry.index(">")]
    ((read, people, _),) = _read(entry.replace("<", "").replace(">", ""))
    assert (read, len(people)) == (title, authors)


@for_each(
    ("entry", "title", "authors", "year"),
    [
        ("TIDES Investigators; Lovelace A, Hopper G, et al. A trial of tides. N Engl J Med. 2014;370(18):16-23.",
         "A trial of tides", ("TIDES Investigators", "Lovelace A", "Hopper G"), 2014),
        ('Lovelace, A. "Hydrogenation of Waves (Bakerian Lecture)" Angew. Chem. Int. Ed. 41, 1998 (2002).',
         "Hydrogenation of Waves (Bakerian Lecture)", ("Lovelace, A.",), 2002),
        ("Those Who Measure Waves: Growth of Knowledge, Shulman (1986)", "Those Who Measure Waves: Growth of Knowledge",
         ("Shulman",), 1986),
        ("The Place of Waves in the History of Teaching, Shulman, 1985, For the Learning of Physics",
         "The Place of Waves in the History of Teaching", ("Shulman",), 1985),
        ("Pesquisa em Resolução de Problemas: novas perspectivas — Onuchic e Allevato, Bolema 25(41), 2011",
         "Pesquisa em Resolução de Problemas: novas perspectivas", ("Onuchic", "Allevato"), 2011),
    ],
)  # fmt: skip
def test_people_and_year_are_told_from_the_title_and_from_pages(entry, title, authors, year):
    assert _read(entry) == [(title, authors, year)]


def test_a_name_in_full_stands_before_the_year_in_a_bracket_and_a_colon():
    entries = (
        "Simmel, Georg (1908): Soziologie der Konkurrenz. In: Neue Deutsche Rundschau 14, S. 1009–1023.",
        "Elias, Norbert (1983): Über den Rückzug der Soziologen auf die Gegenwart, KZfSS 35, S. 29-40.",
        "Mayntz, Renate (2001): Zur Selektivität der steuerungstheoretischen Perspektive. Köln: MPIfG Working Paper.",
    )
    assert _read(*entries) == [
        ("Soziologie der Konkurrenz", ("Simmel, Georg",), 1908),
        ("Über den Rückzug der Soziologen auf die Gegenwart", ("Elias, Norbert",), 1983),
        ("Zur Selektivität der steuerungstheoretischen Perspektive", ("Mayntz, Renate",), 2001),
    ]


@for_each(
    "title",
    [
        "Une histoire de la « réforme » et du « progrès » dans les archives de la marine royale",
        "« Patois » : histoire d’un mot mal aimé",
        "Le “bon usage” et les usages : grammaires et lecteurs au XIXe siècle",
        'Le "petit peuple" des archives de la marine royale',
    ],
)
def test_a_title_in_quotation_marks_may_hold_words_in_others(title):
    entry = f"Anne Martin, « {title} », Revue des lettres modernes, 2021, p. 12-34, <https://doi.org/10.5555/a.1>"
    assert [found[0] for found in _read(entry)] == [title]


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


def test_the_words_of_a_link_go_on_over_a_line():
    title = "A Byte Oriented, Streaming, Zero Copy Library of Parser Combinators"
    entry = f"[{title.replace('Streaming, ', 'Streaming,' + chr(10) + '  ')}](https://arxiv.org/abs/1706.03762)"
    assert [found[0] for found in _read(entry)] == [title]


def test_the_bracket_that_closes_an_entry_tells_venue_and_year_behind_any_remark():
    remark = "a long remark of the owner, who says what the paper is about and for whom it is, " * 3
    link = "[Patterns of Citation in Networks of Authors](https://arxiv.org/abs/1304.0473), by A. Bell"
    assert _read(f"{link} - {remark}(_Physical Review E_, 2013).")[0][2] == 2013


@for_each(
    ("text", "title", "year", "venue"),
    [
        ("- [Alba & Verde 2004 - Lens models of dusty discs](http://adsabs.harvard.edu/abs/2004X)",
         "Lens models of dusty discs", 2004, None),
        ('- [Alba 1880 (Nature 23)](https://doi.org/10.1038/023195x0): "_On Fogs and Dust_"', "On Fogs and Dust", 1880,
         None),
        (("* 2025-03-04: Vera Nowak\n  [Alba & Verde 1967 (Nature 215)](https://doi.org/10.1038/215x): "
         '"_How Fogs Form_"'), "How Fogs Form", 1967, None),
        ("> Membranes Bend Under Load: Biophysical Journal\n> https://doi.org/10.1016/j.bpj.2021.01.001",
         "Membranes Bend Under Load", None, "Biophysical Journal"),
        ("> Phys. Rev. E 103, 012415 (2021) - Critical states of a lattice of spins\n> https://doi.org/10.1103/x.1",
         "Critical states of a lattice of spins", 2021, "Phys. Rev. E"),
        ("- Trials of a New Salve: A Review | Skin Care | JAMA Dermatology\n  - https://doi.org/10.1001/x.1",
         "Trials of a New Salve: A Review", None, None),
        (("- A trial of a vaccine against fever in children.\n"
         "  Alba F, Verde G, Nowak X, et al. Lancet. 2021 Aug 21;398(10301):675-684."),
         "A trial of a vaccine against fever in children", 2021, "Lancet"),
        ("- Alba, L. R. (1978). Concept formation without analysis. Retrieved from https://philpapers.org/rec/X",
         "Concept formation without analysis", 1978, None),
        ("#### [The origins of a cultivated grass](https://academic.oup.com/x)\nMol Biol Evol (2017) 34 (4): 9-19.",
         "The origins of a cultivated grass", 2017, "Mol Biol Evol"),
        (("**DesignNet: sequences of stable proteins.**  \nVera Nowak, Ugo Verde, Ida Alba.  \n"
         "*Proteins, December 2019.*  \n[doi](https://doi.org/10.1002/prot.1)"),
         "DesignNet: sequences of stable proteins", 2019, "Proteins"),
        ("(••) Alba, M., «Cerdos y positivismo», Revista de Derecho, vol. 1985, n.º 4, 1985, págs. 899-936.",
         "Cerdos y positivismo", 1985, "Revista de Derecho"),
        (("4. Alba, P. R., Verde, R. J., & Nowak, P. (2012). Computational botany. Trends in Cognitive Sciences. "
         "doi:10.1016/j.tics.2011.11.018"), "Computational botany", 2012, None),
        ("- Alba, Q. J., Verde, D. a, & Nowak, P. (2013). Maps of moods and rewards. Biology of Mood, 3(1), 12.",
         "Maps of moods and rewards", 2013, "Biology of Mood"),
        (("- Alba, D. P., & Verde, A. J. (2013). Visions at night: a model of the cortex? PLoS Computational "
         "Biology, 9(7). https://doi.org/10.1371/journal.pcbi.1"), "Visions at night: a model of the cortex?", 2013,
         "PLoS Computational Biology"),
        ("- [Alba, Verde, Nowak. 2009. Answer sets for the impatient.](https://a.org/x.pdf)",
         "Answer sets for the impatient", 2009, None),
        ("- [Петров Ю. А. Топологические модели языка. // Вопросы языкознания. М.: Наука, 1972. -- стр. 47-67]",
         "Топологические модели языка", 1972, "Вопросы языкознания"),
        ("**La traduction comme éclosion**\nIn : **Revue des Lettres**, N° 2, Université Saint-Esprit, **1996**",
         "La traduction comme éclosion", 1996, "Revue des Lettres"),
        (("- [Pengurai Kalimat Bahasa](https://a.org/parser.pdf)\n\n"
         "  Nowak, Vera. Theses for computer science, University of X, 2007."), "Pengurai Kalimat Bahasa", 2007, None),
        ("- 석상묵, 김지영, & 이지원. (2016). 도로명주소를 활용한 지오코딩 기법 개발. 한국측량학회지, 34(1), 33-42.",
         "도로명주소를 활용한 지오코딩 기법 개발", 2016, None),
        ("- Alba, M. van, Verde, H., & Nowak, I. (2020). A database of concert programs. _Data Notes_, _5_(2), 62.",
         "A database of concert programs", 2020, None),
        (("* [Debunking the ‘Expensive Call’ Myth, or, Calls Considered Harmful](https://a.org/x.pdf) by "
         "**Vera Nowak** (1977)"), "Debunking the ‘Expensive Call’ Myth, or, Calls Considered Harmful", 1977, None),
        ("- [The carbon budget of an island - ScienceDirect](https://www.sciencedirect.com/science/article/pii/S1)",
         "The carbon budget of an island", None, None),
        (("- Petrov, N. S. (Петров, Н. С.) 1975: О порядке слов в языках / Н. С. Петров // *Вопросы языкознания*. - "
         "Саранск, 1975. - С. 3-25."), "О порядке слов в языках", 1975, None),
        ('- Alba, B. "Relevant Logics of Old." Handbook of Logic (2006): 1-105. Web. 23 Jan. 2013.',
         "Relevant Logics of Old", 2006, None),
        ("Lucia Verdi. *Carlo Alba*. «Rivista di storia\ndelle biblioteche», 86 (1989), p. 287-295.", "Carlo Alba",
         1989, "Rivista di storia delle biblioteche"),
        ("Lucia Verdi. *Gli scritti tedeschi di Carlo Alba*. «La Lanterna», 1991, p. 149-263.",
         "Gli scritti tedeschi di Carlo Alba", 1991, "La Lanterna"),
    ],
)  # fmt: skip
def test_an_entry_as_fields_outside_computer_science_write_it(text, title, year, venue):
    (mention,) = parse_reading_list(text).mentions
    assert (mention.title, mention.year) == (title, year)
    assert venue is None or mention.venue == venue


@for_each(
    ("entry", "author", "year"),
    [
        # ISO 690, as French libraries have it: the surname in capitals and first
        ('**MARTIN Claire**. "<Les gares à l\'écran>". In : ROUX Paul (dir.). *Images*. Lyon : Ardent, 1999, p. 17-29.',
         "MARTIN Claire", 1999),
        ("**DE LA TOUR Anne, PETIT Luc**. <Trains: a geography>. *Cahiers*, printemps 1994, vol.3, p. 4-9.",
         "DE LA TOUR Anne", 1994),
        # ABNT, as in Brazil: surnames in capitals, given names in full, semicolons
        ("LIMA, Ana de Souza; ROCHA, Pedro dos Reis. <A chuva na cidade: um estudo>. Revista do Sul, v. 6, n. 1, 2014.",
         "LIMA, Ana de Souza", 2014),
        ("LIMA, Ana Maria. <Challenges of the rain in Recife>. Acta Pluvial, v. 37, 2019.", "LIMA, Ana Maria", 2019),
        # a surname and a year alone, as biologists write down what to read
        ("Mendel 1966 <The Units of Peas> https://example.org/article/1", "Mendel", 1966),
        # the same with names in full, joined by "and" in their language, before the year in brackets
        ("Ferrer, Lucía y Soler, Andrés (2021) <Redes de barrio, escuelas y memoria>. *Cuadernos*, 12, 3-19.",
         "Ferrer, Lucía", 2021),
        ("Berg, Kari og Lund, Per (2014) <Hav og by: om skriving>. I: Dahl, O. red. _Kystens bok_. Oslo: Vann, s. 3-9.",
         "Berg, Kari", 2014),
        # German: strokes between the names, a colon, and ", in: editors (Hrsg.)" behind a title that holds stops
        ("Vogel, Ina/Kern, Max: <Karten ohne Land. Eine Werkstatt>, in: Lang, Eva (Hrsg.): Räume, Köln 2016, S. 3–40.",
         "Vogel, Ina", 2016),
        # Hungarian: the title goes on behind a stop, up to the journal in italics or to "In" and the book
        ("Kovács Anna: <Könyvek a tanyán. Egy olvasókör hétköznapjai>. *Falusi Szemle* 12.3 (2015), 31–45.",
         "Kovács Anna", 2015),
        # Chinese: the title in the marks of articles behind an organisation
        ("江南古籍研究所：〈<江南水鄉古橋調查簡報>〉，《橋梁考古》1981年第4期，第12-19頁。", "江南古籍研究所", 1981),
        # APA by whoever it is: the title ends before the journal in italics, whatever stops and commas it has
        ("Orchard Editorial (2020). <Pears are fun, but not a fruit; here is why>. *Orchard*, 41, 3.",
         "Orchard Editorial", 2020),
        ("Moss, Lena (2018) <Reading the moss. Lichens, roofs and the city>. *Botany Letters*, 7, 2, 41-52.",
         "Moss, Lena", 2018),
        # a body among the authors, then a short title in quotation marks "in" a book
        ('Ana Reis, Tom Hall, and the Lantern Group, "<Futures of the Lamp>," in _Handbook of Light_, 2012, 3-14',
         "Ana Reis", 2012),
        # a species in italics and "spp." are the title's own words, a year in brackets may be
        ("Silva, A. F. (2014). <Feeding of corals (*Lumina* spp.) in the Atlantic>. *Reef Studies*, 4, 1-9.",
         "Silva, A. F.", 2014),
        ('Reed, A. <Ford\'s "The Station" (1956) from novel to screen>. *Film Notes*, 1998, vol. 8, p. 3-24.',
         "Reed, A.", 1998),
    ],
)  # fmt: skip
def test_a_reference_of_the_humanities_is_read_whole(entry, author, year):
    title = entry[entry.index("<") + 1 : entry.index(">")]
    ((found, authors, told),) = _read(entry.replace("<", "").replace(">", ""))
    assert (found, authors[0], told) == (title.replace("*", ""), author, year)


def test_a_reference_that_is_broken_into_lines_is_one_entry():
    text = "Ruiz, C. y Vega, M. (2010): Monitoring the Wells of\nNew Castile. Water Letters, 4, 2.\n"
    (mention,) = parse_reading_list(text).mentions
    assert (mention.title, mention.authors) == ("Monitoring the Wells of New Castile", ("Ruiz, C.", "Vega, M."))


def test_a_title_as_heading_has_the_authors_and_the_link_below():
    entry = "### *{0}*\n\n**Författare**: {1}\n\n**[Länk](https://example.org/papers/{2}.pdf)**\n\n"
    titles = "Lamps as Functions of the Night", "A Small Language for Describing Bridges", "How Wells Are Measured"
    text = "".join(entry.format(title, "Ivar Lund", at) for at, title in enumerate(titles))
    found = parse_reading_list(text).mentions
    assert [(mention.title, mention.authors) for mention in found] == [(title, ("Ivar Lund",)) for title in titles]


def test_the_line_is_that_of_the_title_where_the_tag_before_it_goes_over_several():
    text = '<p>2018\n<a\n  target="_blank"\n  href="https://example.org/x.pdf"\n  >Plastic in the Rivers</a></p>\n'
    (mention,) = parse_reading_list(text).mentions
    assert (mention.title, mention.line) == ("Plastic in the Rivers", 5)


def test_each_line_between_strokes_is_an_entry_where_the_table_has_no_head():
    rows = [("Web Services for Sand", 2016), ("Moving Dunes of the Coast", 2005), ("Citizens as Sensors of Wind", 2007)]
    found = parse_reading_list(
        "".join(f"| Lovelace, A. “{title}”. Sands. ({year}). |\n" for title, year in rows)
    ).mentions
    assert [(mention.title, mention.year) for mention in found] == rows


def test_the_year_behind_the_authors_in_their_column_is_the_papers():
    table = "| Paper | Authors |\n|---|---|\n| [A Theory of Dunes](https://example.org/a.pdf) | Ada Lovelace,2017 |\n"
    (mention,) = parse_reading_list(table).mentions
    assert (mention.authors, mention.year) == (("Ada Lovelace",), 2017)


def test_links_and_headings_of_restructuredtext_are_read():
    text = (
        "Reading\n-------\n\nDune notes\n~~~~~~~~~~\n\n"
        "-  `Lovelace A, Byron C. Counting the dunes\n   of the coast. Sands. 2009;10:37. <https://example.org/papers/1>`__\n"
    )
    (mention,) = parse_reading_list(text).mentions
    assert (mention.title, mention.url, mention.year) == (
        "Counting the dunes of the coast",
        "https://example.org/papers/1",
        2009,
    )


@for_each(
    ("text", "found"),
    [
        # captions of lists are the titles of no address below them, a definition is no paper
        ("**Nets**\n\n- https://doi.org/10.1000/a\n\n**Maps**\n\n- https://doi.org/10.1000/b\n- https://doi.org/10.1000/c",
         [None, None, None]),
        ("- [Costs of power in grids](https://doi.org/10.1000/a)\n- ***net cost of power*** = all costs over demand",
         ["Costs of power in grids"]),
        # nor are a repository, whatever its page is called, and meetings and journals with their home pages
        (("- [Costs of power in grids](https://doi.org/10.1000/a)\n- [alba/pools: Analysis of global pools in data and "
         "models](https://github.com/alba/pools)\n- [European Conference on Computer Vision](https://eccv.example)\n"
         "- [IEEE Transactions on Image Processing](https://tip.example)\n"), ["Costs of power in grids"]),
        # a title that ends with "research" is no organisation
        ("- Learning from mistakes in climate research [pdf](https://example.org/a.pdf)",
         ["Learning from mistakes in climate research"]),
        ("- Assessing the quality of research [pdf](https://example.org/a.pdf)", ["Assessing the quality of research"]),
        # words for the text that a link leads to are no title
        (("- Lovelace A, Hopper G, et al. Trial of early tides over reefs. N Engl J Med. 2015;372(14):1301-11. "
         "[Free full text](https://www.nejm.org/doi/full/10.1056/NEJMoa1500896)"), ["Trial of early tides over reefs"]),
        # initials of two letters end no authors
        (("- Миллер, Дж. А. (Miller, J. A.) (1998). Attention and the Limits of Working Memory. *Journal of "
         "Cognition*, 4(2), 29-44."), ["Attention and the Limits of Working Memory"]),
        # what a browser shows of the place is no part of a title
        (("- [Theoretical Limits of Memory in Recurrent Circuits | Network Science | Some Press]"
         "(https://direct.example.org/article/6/4/11.pdf)"), ["Theoretical Limits of Memory in Recurrent Circuits"]),
        # people and years on links are papers without a title, the notes of a document in reStructuredText entries
        ("Readings: [Alba et al. (2005)](https://a.org/x.pdf); and [Gelman and Loken (2013)](https://a.org/y.pdf).",
         [(None, 2005), (None, 2013)]),
        (("# Dunes and species\n\n* [Maddison 1997 Systematic Biology](https://example.org/articles/Ma)\n"
         "* [Wu & Ting 2001 Nature Genetics](https://example.org/articles/Wu)\n"
         "* [Meier et al 2017 Molecular Ecology](https://example.org/articles/Me)\n"),
         [(None, 1997), (None, 2001), (None, 2017)]),
        ((".. [1] Alba, D., 1991.\n    Levels of organization in plants. Acta Biotheoretica, 39: 309-323.\n"
         ".. [2] Verde, Y. et Nowak, P., 1997.\n    Branching on the trunks of apple trees. Horticulture, 1(1): 5-6."),
         [("Levels of organization in plants", 1991), ("Branching on the trunks of apple trees", 1997)]),
    ],
)  # fmt: skip
def test_the_papers_of_a_few_lines_are_read_and_nothing_else(text, found):
    read = [(mention.title, mention.year) for mention in parse_reading_list(text).mentions]
    assert [each if isinstance(told, tuple) else each[0] for each, told in zip(read, found, strict=True)] == found
