"""Whether words are a title: the shape of titles, and words that titles hold."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, digits

_WORD = re.compile(r"[^\W_]+(?:[-'’+&./][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EDGES = " \t\n\v\x1d\ufffc.,;:*_|-–—=~<>→#^·•、，。：；\u2022"
_OPENING, _CLOSING = "\"“”„«‹'‘’`「『《〈【", "\"“”»›'‘’`」』》〉】"
_LAST_QUOTES = tuple('"”»」』》')
"""What closes a quotation whose beginning is no part of the words."""
_EMOJI = re.compile(
    r"^(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\ufe0f\u20e3\u3030]|:[a-z0-9_+-]{2,30}:|\s)+"
)
_TAIL_EMOJI = re.compile(r"(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|:[a-z][a-z0-9_+]{2,30}:|\s)+$")
_PARTICLES = re.compile(r"[をはがに、，。]|です|ます|する|した|れる|了|这|是|我")
_ENUMERATION = re.compile(r":\s*[\w-]+(?:\s\w+)?,\s[\w-]+(?:\s\w+)?(?:,|$)|\s\+\s")
_OPENERS = frozenset("this these we i you it they our my here there please see if when while choose use note".split())
_ADVICE = frozenset(
    "learn study explore track understand implement read watch build try install create practice important useful "
    "strong practical focused classic beginner-friendly overview".split()
)
"""Words that begin advice or praise, where no further word has a capital: "Study the basics of rendering"."""
_SENTENCE = re.compile(
    r"\b(?=[acempsiw])(?:(?:can|may|will|should|must|could) (?:be|also)|"
    r"(?:is|are|was|were) (?:a|an|the|also|used|based|not|to)|(?:allows?|enables?|provides?) (?:you|us|the|to))\b"
)
_ODD = re.compile(r"[;=→>{}\\?!](?:(?<![?!])|(?<=\?)\s*\.|(?<=!)!)")
_ODD_WORD = re.compile(r"\bvs\b|\betc\b|, etc")
_TWO_SENTENCES = re.compile(r"[.!] [A-Z]")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_WRAPPERS = frozenset(_OPENING + "([{")
_BRACKET = re.compile(r"[()\[\]{}（）【】]")
_ENDINGS = (".pdf", ".PDF", ".ps", ".djvu")
_HYPHENS = re.compile(r"\S+(?:-\S+){4,}")
"""Words joined by hyphens in place of blanks."""
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,30}\]")
_WORDS_ALONE = f"{ascii_letters}{digits} .,;:'*_|~<>#^+/&?!%$@-".encode()
"""Signs of text that needs nothing but to be stripped."""
_FILE_NAME = re.compile(r"\.(?:pdf|ps|djvu)$", re.IGNORECASE)


@lru_cache(maxsize=8192)
def clean_title(text: str) -> str:
    """Returns `text` as a title: one line, without marks, quotes, emoji and sentence marks around it."""
    if text.isascii() and "  " not in text and text.count(":") < 2 and not text.encode().translate(None, _WORDS_ALONE):
        plain = text.strip(_EDGES)
        if " " in plain and plain[0] != "'" and not plain.endswith(_ENDINGS):
            return plain
    text = " ".join(text.split())
    if "[^" in text:
        text = _FOOTNOTE_MARK.sub("", text)
    if not text.isascii() or text.count(":") > 1:
        text = text if text[:1].isalpha() else _EMOJI.sub("", text)
        text = text if text[-1:].isalpha() else _TAIL_EMOJI.sub("", text)
    text = text.strip(_EDGES)
    while text and text[0] in _WRAPPERS:
        shorter = _unwrapped(text).strip(_EDGES)
        if shorter == text:
            break
        text = shorter
    if " " not in text or text.endswith(_ENDINGS):
        text = _spelt_out(text)
    if text[-1:] in _LAST_QUOTES and not any(mark in text[:-1] for mark in _OPENING):
        text = text[:-1].rstrip(_EDGES)
    return _balanced(text) if _BRACKET.search(text) else text


def _unwrapped(text: str) -> str:
    """Returns `text` without the quotes or brackets around the whole of it."""
    if text[0] in _OPENING and text[-1] in _CLOSING and _wraps(text):
        return text[1:-1]
    if len(text) > 2 and (text[0], text[-1]) in _PAIRS and _wraps(text):
        return text[1:-1]
    return text


def _spelt_out(text: str) -> str:
    """Returns the name of a file as words: A_Title_in_a_File.pdf, or a title with hyphens for blanks."""
    bare = _FILE_NAME.sub("", text) if text.endswith(_ENDINGS) else text
    if " " not in bare and (bare.count("_") >= 2 or bare.count("-") >= 4):
        words = bare.replace("_", " ") if "_" in bare else bare
        return " ".join(_HYPHENS.sub(lambda match: match[0].replace("-", " "), words).split())
    return bare


@lru_cache(maxsize=8192)
def likeness(text: str) -> float:
    """Returns how much `text` reads like a title: below 0 it does not, from 2 on it does by itself.

    Counted are length, capitals, words that titles and words that remarks are made of, and the marks in it.
    """
    words = _WORD.findall(text)
    count = len(words)
    if count == 0 or len(text) > 350:
        return -5.0
    foreign = 0 if text.isascii() else len(_CJK.findall(text))
    if foreign * 3 > len(text) or (foreign > 6 and foreign > count):
        return -1.5
    known, content, capitals, remarks = _counted(words)
    score = _by_length(count) + min(known, 4) * 0.5
    if count >= 3 and content and capitals >= 0.75 * content:
        score += 1.0
    first = words[0].lower()
    if words[0].islower():
        score -= 1.0
    remarks += first in SENTENCE_WORDS and words[0] not in SENTENCE_WORDS
    if first in _OPENERS and count > 3:
        score -= 1.5
    if (
        first in _ADVICE
        and ": " not in text
        and not any(word[0].isupper() and word[1:].islower() for word in words[1:])
    ):
        score -= 2.0
    if _SENTENCE.search(text):
        score -= 1.2
    elif (" is " in text or " are " in text) and "?" not in text:
        score -= 0.5
    score -= 0.8 * min(remarks, 4)
    return score + _by_marks(text)


def is_foreign_prose(text: str) -> bool:
    """Returns whether `text` is a sentence in Chinese, Japanese or Korean and not a title in one of them."""
    if text.isascii() or 3 * len(_CJK.findall(text)) <= len(text):
        return False
    return len(text) > 40 or _PARTICLES.search(text) is not None


def _counted(words: list[str]) -> tuple[int, int, int, int]:
    """Returns how many words are words of titles, carry meaning, carry it with a capital, and are words of remarks."""
    known = content = capitals = remarks = 0
    for word in words:
        low = word.lower()
        kind = WORD_CLASS.get(low, 0)
        if kind & TITLE or ("-" in low and _has_title_word(low)):
            known += 1
        if not kind & FUNCTION:
            content += 1
            if word[0].isupper() or not word[0].isalpha():
                capitals += 1
        if kind & SENTENCE and low == word:
            remarks += 1
    return known, content, capitals, remarks


def _has_title_word(word: str) -> bool:
    return any(part in TITLE_WORDS for part in word.split("-") if len(part) > 3)


def _by_length(count: int) -> float:
    if count <= 1:
        return -2.0
    if count == 2:
        return -0.8
    if count <= 3:
        return -0.2
    return 1.0 if count <= 22 else -1.0 if count <= 30 else -3.0


def _by_marks(text: str) -> float:
    score = 0.0
    head, colon, rest = text.partition(": ")
    if colon and rest[:1].isupper() and len(head.split()) <= 8 and len(rest.split()) >= 3:
        score += 0.8
    if text.rstrip().endswith((":", "：", ";", ",")):
        score -= 2.5
    if (":" in text or "+" in text) and _ENUMERATION.search(text):
        score -= 2.0
    if _ODD.search(text) or (("vs" in text or "etc" in text) and _ODD_WORD.search(text)):
        score -= 0.8
    if (". " in text or "! " in text) and _TWO_SENTENCES.search(text):
        score -= 0.5
    return score


def _wraps(text: str) -> bool:
    """Returns whether the first and last character of `text` belong together."""
    inner, first, last = text[1:-1], text[0], text[-1]
    if first in "([{":
        return first not in inner and last not in inner
    return not any(mark in inner for mark in (first, last) if mark not in "'’‘`")


def _balanced(text: str) -> str:
    """Returns `text` without a bracket at its edge that has no partner."""
    for opening, closing in ("()", "[]", "{}", "（）", "【】"):
        if opening not in text and closing not in text:
            continue
        if text.endswith(opening) or (text.count(opening) > text.count(closing) and opening in text[-2:]):
            text = text.rstrip(opening + " ")
        if text.count(closing) > text.count(opening) and text.endswith(closing):
            text = text[:-1].rstrip(" .,;:")
        if text.count(closing) > text.count(opening) and text.startswith(closing):
            text = text[1:].lstrip(" .,;:")
        if text.count(opening) > text.count(closing) and text.startswith(opening):
            text = text[1:].lstrip()
    return text


TITLE_WORDS = frozenset(
    """
    about abstract accelerated accelerating accelerator accurate action active adaptive adversarial agent agents
    aided algorithm algorithms alignment analysis analyzing application applications applied approach approaches
    approximate approximation architecture architectures art artificial asynchronous attack attacks attention
    augmentation augmented autoencoder autoencoders automatic automated automation autonomous aware based batch
    bayesian behavior benchmark benchmarking benchmarks beyond bidirectional bounds brain building can causal cell
    cells challenge challenges classification clinical cloud cluster clustering code cognitive collaborative
    communication communications comparative comparison compiler compilers complexity compositional compression
    computation computational compute computer computers computing concurrent conditional consensus considered
    consistency consistent constrained continuous continual contrastive control controlled conversational
    convergence convolution convolutional convex coordination core correlation cost credit cross data database
    databases dataset datasets debugging decentralized decision decoding deep dense depth design designing detecting
    detection development diagnosis differentiable differential diffusion digital dimensional discovery discrete
    distributed distribution distributions domain driven driving dropout dual dynamic dynamics early economic effect
    effective effects efficient efficiently elastic embedding embeddings emergent empirical encoder end energy
    engineering enhanced enhancing ensemble entropy environment environments equations equivariant error estimation
    evaluating evaluation evidence evolution evolutionary examples execution experience explainable explaining
    exploration exploring expression extraction face factorization fair fairness fast faster fault feature features
    federated feedback few field fields filtering fine flexible flow formal foundation foundations framework
    frameworks from functional functions fundamental fusion fuzzing game games gan gans gaussian gene general
    generalization generalized generating generation generative genome geometric geometry global goal gradient
    gradients grained graph graphs guide guided hardware health heterogeneous hidden hierarchical hierarchy high how
    human hybrid hyperparameter identification image images imitation implementation implementing implicit improved
    improving incremental inference information instance integrated intelligence intelligent interaction interactive
    interface interpretable interpretability interpreting introduction inverse investigation issues iterative joint
    kernel kernels key knowledge label labels language languages large latency latent layer lazy learned learner
    learning lessons level lifelong light lightweight limits linear linguistic local localization locality logic
    logical long low machine machines management manifold map mapping market markov mask masked massive matching
    mathematical matrix maximum means measurement measuring mechanism mechanisms medical memory meta method
    methodology methods metric metrics minimal mining mixture mobile modal mode model modeling modelling models
    modern modular molecular monocular monte motion multi multilingual multimodal multiple natural navigation near
    network networked networks neural neuron neurons next noise noisy nonlinear normalization normalizing novel
    object objects online open operating optical optimal optimization optimizing order oriented overview pair
    parallel parallelism parameter parameters parsing partial partially pathways pattern patterns perception
    performance perspective perspectives phase physics planning platform point policies policy polymorphism pose
    power practical practice precision predicting prediction predictive preference prior privacy private
    probabilistic probability problem problems procedure processes processing production program programming
    programs progress progressive prompt prompting proof properties protein protocol protocols proximal pruning
    quality quantization quantum query question questions random randomized rank rapid rate real realtime reasoning
    recognition recommendation reconstruction recurrent recursive reduction reducing region regression
    regularization reinforcement relational reliable rendering replicated report representation representations
    research residual resource responses results retrieval rethinking review revisited revisiting reward risk robot
    robotic robotics robots robust robustness role rule rules safe safety sampling scalable scale scaling scene
    scheduling schema science search secure security segmentation selection self semantic semantics semi sensing
    sensor sensors sentence sentiment separation sequence sequences sequential server service services shape shared
    short signal simple simulation simultaneous single sketch small social software solution solving source space
    spaces sparse sparsity spatial speech speed spectral stability stable state states statistical step stochastic
    storage strategies strategy stream streaming structure structured structures student studies study subspace
    summarization supervised support surface survey switching symbolic synthesis synthetic system systems table
    target task tasks teaching technique techniques temporal tensor tensors testing text theorem theoretical theory
    thinking time tool tools topic toward towards tracking training trajectory transaction transactions transfer
    transform transformer transformers translation tree trees trends tutorial type types typed deeper convolutions
    representing diffusion going simple wide fully ultra uncertainty understanding unified uniform universal
    unsupervised update using utility validation value variable variational vector verification via video virtual
    vision visual visualization volume wave weak weakly web weighted what when where whole why wide wireless without
    word words world zero aprendizaje redes profundo profunda análisis estudio sistema sistemas apprentissage
    réseaux analyse étude système lernen netze untersuchung обучение сети анализ исследование модели
    """.split()
)
"""Content words common in titles; `likeness` counts them."""

FUNCTION_WORDS = frozenset(
    "a an the of for in on to with and or by from at as via is are be its their into over under between through "
    "using towards toward without within across against "
    "de la el los las del y en para con por un una le les des du et pour dans der die das und für mit von im zur "
    "и в на для с по".split()
)
"""Small words that hold titles together."""

SENTENCE_WORDS = frozenset(
    "i we you he she they it this these those that there here my our your me us was were am has have had does did "
    "will would should could must may might "
    "please click check see note todo also just only very really some most many here's it's i'm don't let's let "
    "below above above: e.g i.e "
    "introduces introduced proposes proposed describes shows showed presents extends claims provides gives uses "
    "used discusses explains defines implements featured contains includes require requires "
    "good great nice interesting useful recommended worth read".split()
)
"""Words of remarks, which titles seldom use in lower case."""

TITLE, FUNCTION, SENTENCE = 1, 2, 4

WORD_CLASS = {
    word: TITLE * (word in TITLE_WORDS) + FUNCTION * (word in FUNCTION_WORDS) + SENTENCE * (word in SENTENCE_WORDS)
    for word in TITLE_WORDS | FUNCTION_WORDS | SENTENCE_WORDS
}
"""Which of the three a word belongs to, as bits, so that one look-up tells."""
