"""Words that titles are made of and names are not, in the languages that lists are written in."""

from __future__ import annotations

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
"""Content words common in titles. A chunk holding one of them is not a person's name."""

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
