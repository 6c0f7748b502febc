"""Venues as lists write them, and the short stretches that hold nothing but venue, year and the like."""

from __future__ import annotations

import re
from typing import NamedTuple

from sources.reading_list.dates import DATE, glued_year, year_in
from sources.reading_list.people import is_organisation
from sources.reading_list.titles import likeness


class Imprint(NamedTuple):
    """What a stretch tells about where and when a paper appeared."""

    venue: str | None
    year: int | None


_ACRONYMS = frozenset(
    "aaai aamas aaaiw acc accv acl acmmm acsac aied aies aistats alife allerton alt amia aosd aplas apsec apsys apnet arxiv arith asonam asplos asru "
    "assets ase atc atva bigdata blackboxnlp bmvc bmvc' cade cacm cav cc ccgrid ccr ccs cdc cec ceur cgo chi chil ches chiir cidr cikm cinc clef clear cluster "
    "cogsci cogsci' coling collas colm colt concur conext conll copa corl corr crypto cscl cscw csf csl cvpr cvprw cvpr-w cvm dac date das dasfaa dcc dcoss "
    "debs dis disc dlt dsn dsaa e-energy eacl ecai ecal eccv eccvw eccv-w ecir ecml ecmlpkdd ecml-pkdd ecoop ecrts ecscw edbt edm emnlp emnlp-findings emsoft embc esa esec esop esorics esweb "
    "eswc etaps eurocrypt eurographics eurosp eurosys eusipco ewrl facct fat* fat fast fc fccm fg findings fm fmcad focs fossacs fpga fpl fse gecco gi glsvlsi globecom gpce grades "
    "haicgu hicss hipc hipeac hotcloud hoti hotmobile hotnets hotos hotpar hotpower hotstorage hpca hpcc hpdc hpec hpsr hri humanoids iaai ibm icalp icac icaif icaps icassp icb iccad iccas iccd "
    "iccp iccs iccv iccvw iccv-w icdar icdcn icdcs icde icdm icdt icfp icip iclr iclrw iclp icme icml icmlw icmla icmi icmr icnp icpads icpe icpp icpr icra ics icse icsm icsoc icsr icst icsme "
    "icwe icws icwsm ieee ieee-access iedm ijcai ijcnn ijcnlp ijcv ijrr ijcar ijcb ijhcs ilsvrc imc imwut infocom infovis interact interspeech iot ipdps ipmi ipsn iros isbi isca iscas iscc iser "
    "isit islped ismar ismir ispass ispd issac issre issta issta' iswc isvc iticse itcs itp itsc iui ivs iv iwqos iwslt iwssip jacm jair jcdl jfp jmir jmlr jmva joss jsac "
    "ka kdd kr lak lamc lca lctes l4dc learningsys lics lisa lics lncs lrec log mass medinfo mfcs miccai micai micro middleware midl mlhc mlj mlsp mlsys mm mmm mmsys mobicom mobihoc mobisys mascots mdm msr mswim mtsummit mwscas naacl "
    "naacl-hlt nature ndss neco nesy netai neurips neurips-w neuripsw nips nipsw nipsws nips-w networking nime nsdi oopsla opodis osdi pact pacmpl pacis pami pakdd papoc pasc pepm percom pets pg pkdd pldi plos pmlr pnas "
    "podc podium podd pods popl popets post pppj ppdp ppopp ppsn prl pvldb pvm qest r-al ra-l ral raid recsys rss rta rtas rtss sac sagt sas satml sat sbac-pad sc scg sca sdm secon "
    "securecomm sensys sgp sigcomm siggraph siggraph-asia sigir sigcse sigmetrics sigmod sigops sigspatial sipaim sirocco slate slt socc soda soups sosp sosr spaa spawc spire splash sp sigdial sscs ssp stacs stoc "
    "starai supercomputing swat sysml systor t-pami t-ro tacl taco tacas talg tase taslp tbd tcad tcas tcc tccn tcsvt tc tcs tdsc tecs tgrs tifs tii tip tist tits titb tits' tkdd tkde tlca tmc tmi tmlr tmm tnnls tnsm tocs "
    "tocl tochi toct toda todaes todes todo tods toit toms tomm tompecs ton toms topc toplas topa topi topic tors tosem tosn tossec tpami tpds trans trec tro tron tsc tse tsg tsmc tsp ttic tvcg tvlsi tvt tweb "
    "uai ubicomp uist umap usenix usenix-security vee vldb vldbj vis vlsi vmcai vr vtc wacv wads wafr wcnc wg wine wise wmt wmsc woot wosn www wsdm wsc xai 3dv cvmp "
    "acm-mm acmmm mm jcst scis frontiers sensors access entropy elife neuron cell science chaos pre prl prx pra prb biorxiv medrxiv chemrxiv ssrn openreview neurocomputing".split()
)
_AMBIGUOUS = frozenset(
    "cc date disc fast post sat sc cell science nature access log trans todo chaos vis clear slate plos micro fat post top mass middleware networking dis ics das fc fm gi sac sas sp iv kr cluster sensors frontiers neuron copa iot ka findings pets pg pre topic swat wine wise acc".split()
)
_KEYWORD = re.compile(
    r"\b(?:proc\.?|proceedings|conference|conf\.|symposium|symp\.|workshops?|journal|j\.|transactions|trans\.|annals|letters|lett\.|magazine|bulletin|"
    r"advances in|lecture notes|arxiv|corr|preprint|tech(?:nical|\.)? ?report|technical (?:monograph|memo\w*)|internal report|tr-?\d+|ph\.?d\.?|thesis|dissertation|university|univ\.|institute|press|springer|"
    r"elsevier|wiley|morgan kaufmann|addison-wesley|mcgraw-hill|prentice|north[- ]holland|editors?|eds?\.|volume|vol\.|pages?|pp\.|chapter|acta|revue|zeitschrift|annual review|review of|"
    r"reviews|communications of|comm\.|computing surveys|ieee|acm|usenix|siam|aaai|neural computation|biological cybernetics|machine learning journal|the vldb|mit ai|unpublished|whitepaper|white paper|manuscript|under review|in submission|to appear|"
    r"conferencia|actas|revista|tesis|informe|congreso|thèse|actes|colloque|konferenz|zeitschrift|konferenzband|конференци\w*|журнал\w*|会议|期刊|学报|论文集|大学|論文誌|研究報告|学会|학회|논문지)(?!\w)",
    re.IGNORECASE,
)
_JOURNALS = frozenset(
    "nature science cell pnas neuron nejm jama lancet neurocomputing neural networks|neural networks|machine learning|artificial intelligence|distributed computing|pattern recognition|engineering|graphical models|automatica|"
    "information sciences|information and computation|theoretical computer science|computer journal|operations research|management science|econometrica|psychological review|cognitive science|cognition|brain|neuroimage|"
    "nature communications|nature methods|nature medicine|nature neuroscience|nature machine intelligence|scientific reports|science robotics|science advances|science translational medicine|plos one|bioinformatics|nucleic acids research|genome research|genome biology|"
    "the computer journal|software practice and experience|algorithmica|combinatorica|biometrika|technometrics|neural computation|knowledge-based systems|expert systems with applications|applied intelligence|data mining and knowledge discovery|"
    "physical review letters|reviews of modern physics|computer networks|parallel computing|future generation computer systems|performance evaluation|acta informatica|science of computer programming|wired|queue|acm queue|cacm|patterns|quantum|entropy|symmetry|sensors|"
    "ijcv|distill|osr|sigops osr|ccr|self-published|unpublished|tech report|technical report|white paper|whitepaper|arxiv preprint|preprint|inria|google research|openai blog|big data|computer vision and image understanding|medical image analysis|remote sensing".replace(
        "nature science cell pnas neuron nejm jama lancet neurocomputing ",
        "nature|science|cell|pnas|neuron|nejm|jama|lancet|neurocomputing|",
    ).split("|")
)
_NOISE = re.compile(
    r"\b(?:oral|spotlight|poster|highlight|best (?:student )?paper(?: award)?|award|runner-up|accepted|accept|at|in|on|to appear|appear|under review|submitted|published|presented|invited|extended abstract|short paper|short|long|full|main(?: track)?|track|"
    r"demo|outstanding paper|honorable mention|distinguished paper|findings|revised|modify|modified|updated?|upd|preprint|version|v\d+)\b|[★☆🔥⭐✨🏆,;:|/·•。，、;.!?*&()\[\]-]",
    re.IGNORECASE,
)
_EDGES = " \t\n.,;:|-–—*_/?~"
_SMALL = frozenset(
    "of on the and in for at to a an by de la et und workshop workshops oral poster spotlight track findings best paper award short long demo preprint".split()
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HEAD_KEYWORD = re.compile(
    r"(?:in:?\s+)?(?:the\s+)?(?:\d+(?:st|nd|rd|th)\s+|[A-Z]\w+(?:th|st|nd|rd)\s+)?(?:annual\s+|international\s+|int\.?\s+|ieee\S*\s+|acm\S*\s+|usenix\s+|european\s+|asian\s+)*"
    r"(?:proc\b|proceedings|conference|conf\b|symposium|symp\b|workshop|journal|transactions|trans\b|annals|advances in|lecture notes|communications of|comm\.|tech(?:nical|\.)? ?report|"
    r"technical memo|internal report|research report|ph\.?d|master|bachelor|doctoral|thesis|dissertation|arxiv|corr\b|preprint|ieee|acm|usenix|siam|springer|elsevier|lncs|bulletin|acta|"
    r"pages?\b|pp\b|vol|volume|editors?\b|eds?\b|chapter|unpublished|under review|to appear|university of|department|dept)",
    re.IGNORECASE,
)
_VOLUME = re.compile(
    r"(?<=[A-Za-z.])[ ;,]*(?:vol\.? ?)?\d+[\d\s():;,./–-]*$|[\s;,:]+\d*\(?\d*\)?:\s?[\d–-]+$", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\s,;/|·()\[\]@:]+")
_ACRONYM_SHAPE = re.compile(r"(?:[A-Z][A-Za-z]*[A-Z][A-Za-z]*|[A-Z]{2,})(?:[-/+&][A-Z][A-Za-z]*)*")
_ARXIV_CLASS = re.compile(
    r"(?:cs|stat|math|eess|q-bio|q-fin|econ|physics|cond-mat|hep-\w+|quant-ph|astro-ph)\.?[A-Z]{0,2}"
)
_NUMBERS = re.compile(
    r"^(?:pp?\.?\s*)?[\d():.,/\s–-]+$|^(?:pages?|pp\.?|vol(?:ume)?\.?|no\.?|number|issue|article)\s*[A-Z]?[\d(]",
    re.IGNORECASE,
)


def imprint_of(text: str) -> Imprint | None:
    """Returns the venue and year that `text` consists of; None where it holds anything else."""
    text = text.strip(_EDGES)
    if not text or len(text) > 160:
        return None
    year = year_in(text)
    rest = DATE.sub(" ", text) if year is not None or text[0].isdigit() else text
    bare = " ".join(_NOISE.sub(" ", rest).split())
    if not bare or not any(character.isalpha() for character in bare):
        return Imprint(None, year) if year is not None else None
    name = " ".join(rest.split()).strip(_EDGES + "()[]")
    name = (
        name
        if year is None and len(name.split()) <= 3 and glued_year(name) is not None
        else _VOLUME.sub("", name).strip(_EDGES + "()[]")
    )
    if not name:
        return Imprint(None, year) if year is not None else None
    if is_venue(name) or (year is not None and len(name.split()) <= 8 and _KEYWORD.search(name)):
        return Imprint(_without_year(name), year if year is not None or len(name.split()) > 3 else glued_year(name))
    if year is None and len(name.split()) <= 2 and (year := glued_year(name)) is not None:
        stem = _without_year(name)
        return Imprint(stem, year) if is_venue(stem) else None
    if year is not None and len(name) <= 30 and len(name.split()) <= 2 and _ACRONYM_SHAPE.fullmatch(name.split(" ")[0]):
        return Imprint(None if is_organisation(name) else name, year)
    return Imprint(None, year) if year is not None and is_organisation(name) else None


def is_venue(text: str) -> bool:
    """Returns whether `text` names a venue: a known acronym, a journal, or words that only venues are made of."""
    words = _TOKEN.findall(text)
    if not words or len(words) > 16 or len(_CJK.findall(text)) > 14:
        return False
    lowered = text.lower().strip(" .,")
    if lowered in _JOURNALS or _ARXIV_CLASS.fullmatch(text.strip()):
        return True
    known = [word for word in words if _is_acronym(word)]
    if known and len(words) <= 4 + len(known):
        return not any(word.islower() and word not in _SMALL for word in words if word not in known)
    if _KEYWORD.search(text):
        return _HEAD_KEYWORD.match(text) is not None or likeness(text) < 2.0
    return False


def is_numbers(text: str) -> bool:
    """Returns whether `text` is pages, volume or number of an issue."""
    return _NUMBERS.match(text.strip()) is not None


def _is_acronym(word: str) -> bool:
    bare = word.strip(".'’*_\"“”-–").rstrip("0123456789'’‘")
    lowered = bare.lower()
    if lowered in _AMBIGUOUS:
        return bare.isupper() and len(bare) > 1
    return lowered in _ACRONYMS and (bare[:1].isupper() or len(bare) >= 4 or not bare.isalpha())


def _without_year(name: str) -> str:
    """Returns `name` without a glued year, and without words in another script before it."""
    if len(name.split()) <= 3 and glued_year(name) is not None:
        name = name.rstrip("abcdef").rstrip("0123456789").rstrip(" -'’‘") or name
    head, _, tail = name.partition(" ")
    return tail if tail and _CJK.search(head) and not _CJK.search(tail) else name
