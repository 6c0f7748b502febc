"""Venues: their names, the words that such names are made of, and whether two texts name one. Pure."""

from __future__ import annotations

import re

from sources.bibliography.titles import fold

ACRONYMS = frozenset(
    """
    aaai aamas acc accv acl acm acmmm acm-mm acsac aied aistats alife allerton amia aosd aplas apnet apsec apsys
    arxiv asonam asplos asru ase atc bigdata biorxiv blackboxnlp bmvc cacm cade cases cav cc ccgrid ccr ccs cdc cec
    ceur cgo chemrxiv ches chi chiir cidr cikm clef cluster cogsci colas collas coling colm colt comad concur conext
    conll copa corl corr crypto cscl cscw csf csl cvm cvpr cvprw cvpr-w dac dasfaa date dcc debs dis disc dlt dsaa
    dsn e-energy eacl ecai ecal eccv eccvw eccv-w ecir ecml ecmlpkdd ecml-pkdd ecoop ecrts ecscw edbt edm elife
    emnlp emsoft embc esa esec esop esorics eswc etaps eurocrypt eurographics eurosp eurosys eusipco ewrl facct fast
    fat fccm fg findings fm fmcad focs fossacs fpga fpl fse gecco globecom gpce grades hicss hipc hipeac hotcloud
    hotmobile hotnets hotos hotpar hotpower hotstorage hpca hpdc hpec hri humanoids iaai icac icaif icalp icaps
    icassp icb iccad iccas iccd iccp iccs iccv iccvw iccv-w icdar icdcn icdcs icde icdm icdt icfp icip iclp iclr
    iclrw icme icml icmla icmlw icmi icmr icnp icpads icpe icpp icpr icra ics icse icsm icsme icsoc icsr icst icwe
    icws icwsm ieee iedm ijcai ijcar ijcb ijcnlp ijcnn ijcv ijrr ilsvrc imc imwut infocom infovis interact
    interspeech iot ipdps ipmi ipsn iros isbi isca iscas iscc iser isit islped ismar ismir ispass ispd issac issre
    issta iswc isvc itcs iticse itp itsc iui ivs iwqos iwslt jacm jair jcdl jfp jmlr joss jsac kdd kr l4dc lak lctes
    learningsys lics lisa lncs lrec mass medrxiv mfcs miccai micro middleware midl mlhc mlj mlsp mlsys mm mmm mmsys
    mobicom mobihoc mobisys mascots mdm msr mswim naacl naacl-hlt nature ndss neco nesy neurips neurips-w neuripsw
    neurocomputing nime nips nipsw nipsws nips-w nsdi oopsla opodis openreview osdi pact pacmpl pakdd pami papoc
    pasc pepm percom pets pkdd pldi plos pmlr pnas podc pods popl post pra prb pre prl pro prx pvldb pvm qest r-al
    ra-l ral raid recsys rss rta rtas rtss sac sagt sas satml sat sc sca scis sdm secon securecomm sensys sgp
    sigcomm siggraph siggraph-asia sigcse sigdial sigir sigmetrics sigmod sigops sigspatial sirocco slate slt soca
    socc soda sosp sosr soups sp spaa spire splash ssp ssrn stacs starai stoc supercomputing swat sysml systor
    t-pami t-ro tacas tacl taco talg tase taslp tbd tc tcad tcas tcc tcs tcsvt tdsc tecs tgrs tifs tii tip tist tits
    tkdd tkde tmc tmi tmlr tmm tnnls tnsm tochi toct tocl tocs tods tog toit tomacs tomm tompecs toms ton toplas
    tors tosem tosn tpami tpds tr trec tro tron tsc tse tsg tsmc tsp tvcg tvlsi tvt tweb uai ubicomp uist umap
    usenix vee vis vldb vldbj vlsi vmcai vr vtc wacv wads wafr wcnc wg wine wise wmt woot wosn wsc wsdm www xai 3dv
    cvmp
    """.split()
)
"""Acronyms of conferences, journals and preprint servers, in lower case."""

AMBIGUOUS = frozenset(
    """
    acc atc cases cav cc chi cluster copa crypto date disc dis dsn esa fast fat findings fg fm focs interact iot ics
    kr mass micro middleware mm mmm nature pact percom pets plos post pra prb pre pro prl rss sac sas sat sc sca
    slate soda sp splash swat tc tip tr tron vee vis vr wads wg wine wise www xai
    """.split()
)
"""Those that are words too: they count in capitals only."""

VOLUMES = frozenset(
    """
    cacm elife ijcv ijrr jacm jair jfp jmlr joss jsac lncs mlj neco pacmpl pami plos pmlr pnas pra prb pre prl
    prx pvldb tacl taslp tc tgrs tifs tip tist tits tkde tmi tmlr tmm tnnls tochi tocs tods tog tomm ton toplas
    tosem tpami tpds tro tsp tvcg vldbj t-pami t-ro ra-l
    """.split()
)
"""Those that count in volumes: two digits behind a blank are no year, as in "JMLR 13"."""

JOURNALS = frozenset(
    " ".join(name.split())
    for name in """
    s&p, ieee s&p,
    nature, science, cell, pnas, neuron, nejm, jama, the lancet, lancet, mind, brain, cognition, neuroimage,
    neurocomputing, neural networks, machine learning, artificial intelligence, distributed computing, pattern
    recognition, engineering, graphical models, automatica, information sciences, information and computation,
    theoretical computer science, computer journal, the computer journal, operations research, management science,
    econometrica, psychological review, cognitive science, nature communications, nature methods, nature medicine,
    nature neuroscience, nature machine intelligence, nature biotechnology, scientific reports, science robotics,
    science advances, science translational medicine, plos one, bioinformatics, nucleic acids research, genome
    research, genome biology, elife, software practice and experience, software - practice and experience,
    algorithmica, combinatorica, biometrika, technometrics, neural computation, knowledge-based systems, expert
    systems with applications, applied intelligence, data mining and knowledge discovery, physical review letters,
    reviews of modern physics, computer networks, parallel computing, future generation computer systems,
    performance evaluation, acta informatica, science of computer programming, computing surveys, communications of
    the acm, queue, acm queue, patterns, quantum, entropy, symmetry, sensors, distill, osr, unpublished, tech
    report, technical report, white paper, whitepaper, arxiv preprint, preprint, big data, computer vision and image
    understanding, medical image analysis, remote sensing, biological cybernetics, bell system technical journal,
    under review, higher-order and symbolic computation, lisp and symbolic computation, security and communication
    networks, social network analysis and mining
    """.split(",")
)
"""Journals, and what stands in the place of one, by their whole names in lower case."""

KEYWORDS = frozenset(
    """
    proc proceedings conference conf symposium symp workshop workshops journal transactions trans annals letters
    lett magazine bulletin advances arxiv corr preprint report thesis dissertation       press
    springer springer-verlag elsevier wiley addison-wesley mcgraw-hill prentice           vol
        pp chapter acta revue zeitschrift     communications comm   ieee acm usenix siam
    aaai vldb unpublished whitepaper manuscript submission   phd ph.d monograph lecture       memo
    conferencia actas revista tesis informe congreso thèse actes colloque konferenz konferenzband журнал конференция
    конференции доклады труды вестник 会议 期刊 学报 论文集   論文誌 研究報告 学会 학회 논문지
    """.split()
)
"""Words that names of venues and imprints are made of. Titles hold some of them too, so one alone proves little."""

_WORD = re.compile(r"[^\W\d_]+")
_SAME = {"nips": "neurips", "icassp": "icassp", "arxiv": "arxiv", "corr": "arxiv"}
_EMPTY = frozenset(
    "of the on in for and a an to at by proceedings proc conference international annual symposium workshop journal "
    "transactions ieee acm advances th st nd rd".split()
)


def same_venue(written: str | None, true: str | None) -> bool:
    """Returns whether two texts name one venue, by acronym, by name, or by one's initials being the other.

    False says nothing against a candidate: preprints, workshop versions and journals go by many names.
    """
    if not written or not true:
        return False
    mine, theirs = _names(written), _names(true)
    return bool(mine & theirs)


def _names(text: str) -> frozenset[str]:
    """Returns the names that a venue's text holds: its acronyms, and the initials of each run of its words."""
    found: set[str] = set()
    for part in re.split(r"[;,()/:]", text[:300]):
        words = _WORD.findall(fold(part))
        telling = [word for word in words if word not in _EMPTY]
        initials = "".join(word[0] for word in words if word not in ("of", "the", "on", "in", "for", "and", "to"))
        short = [word for word in telling if len(words) <= 3 or part.find(word.upper()) >= 0]
        found |= {_SAME.get(name, name) for name in (*short, "".join(telling), initials) if len(name) >= 3}
    return frozenset(found - {"arxiv"})
