"""The options of the commands; written by ``make generate`` from tools/options.toml."""

from spanrs.cli import parameter_types as types
from spanrs.cli.described import argument, command, option

# fmt: off

#: Summary of each command, by group.
SUMMARIES = {"": {"score": "Score tagged files: precision, recall and F1 of spans.",
    "compare": "Test which differences between systems are significant.",
    "agreement": "Measure the agreement of annotators.",
    "merge": "Merge counts that spanrs score --save wrote.",
    "fair": "Evaluate as specified by a configuration file of FairEval.",
    "read": "Show how a file is interpreted: format, layers, scheme.",
    "validate": "List the tags that do not conform to their scheme.",
    "convert": "Convert a corpus to another format, or the tags of a file to another scheme.",
    "spans": "Write the spans of a tagged file as JSON Lines.",
    "conlleval": "Reproduce the output of conlleval.pl, byte for byte.",
    "crf": "Train conditional random fields, and tag files with them.",
    "crowd": "Learn from the labels of many annotators.",
    "dep": "Train models from text to dependency trees, and annotate files or raw text with them."},
    "crf": {"train": "Train a model on a tagged file.", "tag": "Tag files with a model.",
    "eval": "Tag a gold file and score the tags.", "info": "Show the contents of a model.",
    "template": "List the built-in feature templates, or print one."},
    "crowd": {"aggregate": "Estimate the true labels and the reliability of annotators.",
    "fit": "Train a CRF on the labels of many annotators.",
    "next": "Choose who should label which document next.",
    "simulate": "Simulate annotators for a gold file.",
    "experiment": "Compare methods on data whose true labels are known."},
    "dep": {"train": "Train a model from text to trees on a treebank.",
    "parse": "Tag and parse files, or raw text.", "tag": "Tag files.",
    "eval": "Compare trees with gold trees, or parse gold text and compare.",
    "draw": "Draw trees as text or SVG.", "info": "Show the contents of a model.",
    "import": "Convert a model of parser.py from JSON.",
    "templates": "Print the feature templates of the parser."}}
#: Parameters that only some matchers accept.
MATCHER_PARAMETERS = {"characters": ("beta", "iou_threshold", "skip", "count", "hierarchy",
    "level_of_types"), "fair": ("exclude", "weights", "focus"), "mat": ("exclude", "task", "task_path",
    "token_types", "by_token", "by_pseudo_token", "by_character", "clash_kinds", "details", "confusability",
    "confidence", "percent", "csv_directory", "csv_formulas", "xlsx", "unpaired_overlap", "pieces",
    "overlay", "all_elements"), "partial": ("min_overlap", "matching"), "strings": ("counting",
    "normalization", "within")}
#: Parameters for arguments of spanrs.read, the names of these arguments, and the options.
READ_ARGUMENTS = (("texts", "texts", "--texts"), ("scheme", "scheme", "--scheme"), ("reading", "reading",
    "--reading"), ("format_name", "format", "--format"), ("tag", "tags", "--column"), ("token", "tokens",
    "--token-column"), ("gold_column", "gold", "--gold-column"), ("pred_column", "pred", "--pred-column"),
    ("separator", "separator", "--separator"), ("comments", "comments", "--comments"), ("document_column",
    "documents", "--document-column"), ("position_column", "position", "--position-column"),
    ("punct_column", "punct_column", "--punct-column"), ("annotator", "annotator", "--annotator"), ("layer",
    "layer", "--layer"), ("trim", "trim", "--trim"), ("offsets", "offsets", "--offsets"), ("inclusive_ends",
    "inclusive_ends", "--inclusive-ends"), ("encoding", "encoding", "--encoding"))
#: Parameters that are settings of signatures.
SIGNATURE_PARAMETERS = ("matcher", "align", "min_overlap", "matching", "beta", "iou_threshold", "count",
    "weights", "focus", "counting", "normalization", "within", "scheme", "pred_scheme", "reading")

MATCHER = option("--matcher", "matcher", group="Comparison",
    help="exact, partial, fair, characters, strings or mat.", type=types.MATCHER, default="exact",
    metavar="NAME")
LIBRARY_MATCHER = option("--matcher", "matcher", group="Comparison",
    help="exact, partial, fair, characters or strings.", type=types.LIBRARY_MATCHER, default="exact",
    metavar="NAME")
TYPES = option("--types", "kept", group="Comparison", help="Count only these types.", type=types.NAMES,
    metavar="TYPE,...", multiple=True)
EXCLUDE = option("--exclude", "exclude", group="Comparison", help="Exclude these types (fair, mat).",
    type=types.NAMES, metavar="TYPE,...", multiple=True, rare=True)
MAP = option("--map", "maps", group="Comparison", help="Count type FROM as TO; FROM= removes FROM.",
    metavar="FROM=TO", multiple=True)
UNTYPED = option("--untyped", "untyped", group="Comparison", help="Also score spans by their bounds only.",
    is_flag=True)
ALIGN = option("--align", "align", group="Comparison", help="What to do if tokens differ.",
    type=types.choice("refuse", "report", "ignore", "characters"), default="refuse", metavar="HOW")
LIKE = option("--like", "like", group="Comparison", help="Score with the settings in this signature.",
    metavar="SIGNATURE", rare=True)
MIN_OVERLAP = option("--min-overlap", "min_overlap", group="Comparison",
    help="Minimum overlap, as share of gold (partial).", type=types.FloatRange(min=0, max=1),
    metavar="SHARE", rare=True)
MATCHING = option("--matching", "matching", group="Comparison", help="How spans are paired (partial).",
    type=types.choice("greedy", "optimal"), show_default="greedy", metavar="HOW", rare=True)
BETA = option("--beta", "beta", group="Comparison", help="Weight of recall in F (characters).",
    type=types.FloatRange(min=0), show_default="2", metavar="NUMBER", rare=True)
IOU_THRESHOLD = option("--iou-threshold", "iou_threshold", group="Comparison",
    help="Smallest intersection over union (characters).", type=types.FloatRange(min=0, max=1),
    show_default="0.9", metavar="SHARE", rare=True)
SKIP = option("--skip", "skip", group="Comparison", help="Words that do not count (characters).",
    type=types.NAMES, metavar="WORD,...", multiple=True, rare=True)
COUNT = option("--count", "count", group="Comparison", help="Characters of texts that count (characters).",
    type=types.choice("words", "all"), show_default="words", metavar="WHAT", rare=True)
HIERARCHY = option("--hierarchy", "hierarchy", group="Comparison",
    help="Parents of types, TOML or JSON (characters).", type=types.PATH, metavar="FILE", rare=True)
HIERARCHY_LEVEL = option("--hierarchy-level", "level_of_types", group="Comparison",
    help="Compare types at this level (characters).", type=types.IntRange(min=0), metavar="N", rare=True)
WEIGHTS = option("--weights", "weights", group="Comparison", help="paper, default, or formulas (fair).",
    show_default="paper", metavar="FORMULAS", rare=True)
FOCUS = option("--focus", "focus", group="Comparison",
    help="Side whose type LE and LBE count towards (fair).", show_default="gold", metavar="gold|pred",
    rare=True)
COUNTING = option("--counting", "counting", group="Comparison",
    help="How often equal strings count (strings).", type=types.choice("multiset", "set"),
    show_default="multiset", metavar="HOW", rare=True)
NORMALIZATION = option("--normalization", "normalization", group="Comparison",
    help="When strings are equal (strings).", type=types.choice("none", "case", "unicode", "squad"),
    show_default="none", metavar="HOW", rare=True)
WITHIN = option("--within", "within", group="Comparison", help="Where strings match (strings).",
    type=types.choice("text", "document"), show_default="text", metavar="UNIT", rare=True)
ALL_SETTINGS = option("--all-settings", "all_settings", group="Comparison",
    help="Score answers in all the ways in use, side by side.", is_flag=True, rare=True)
TEXTS = option("--texts", "texts", group="Answers of models",
    help="The texts that answers are about, if not gold.", metavar="FILE", rare=True)
SCHEMA = option("--schema", "schema", group="Answers of models",
    help="Types that were asked for; by default gold's.", type=types.NAMES, metavar="TYPE,...",
    multiple=True, rare=True)
TYPE_NAME = option("--type-name", "type_names", group="Answers of models",
    help="Read NAME in answers as TYPE.", metavar="NAME=TYPE", multiple=True, rare=True)
OFF_SCHEMA = option("--off-schema", "off_schema", group="Answers of models",
    help="Mentions whose types are not in the schema.", type=types.choice("keep", "drop", "count"),
    default="keep", metavar="HOW", rare=True)
UNGROUNDED = option("--ungrounded", "ungrounded", group="Answers of models",
    help="Mentions that do not occur in the text.", type=types.choice("keep", "drop"), default="keep",
    metavar="HOW", rare=True)
UNANSWERED = option("--unanswered", "unanswered", group="Answers of models",
    help="Texts without an answer.", type=types.choice("refuse", "empty"), default="refuse", metavar="HOW",
    rare=True)
OCCURRENCES = option("--occurrences", "occurrences", group="Answers of models",
    help="Which occurrences of a mention count.", type=types.choice("listed", "all"), default="listed",
    metavar="WHICH", rare=True)
STAGES = option("--stages", "stages", group="Answers of models", help="exact, case, unicode, fuzzy, part.",
    type=types.NAMES, show_default="all", metavar="STAGE,...", multiple=True, rare=True)
THRESHOLD = option("--threshold", "threshold", group="Answers of models",
    help="Minimum similarity of the stage fuzzy.", type=types.FloatRange(min=0, max=1), default=0.75,
    metavar="SHARE", rare=True)
DIACRITICS = option("--ignore-diacritics", "diacritics", group="Answers of models",
    help="Find mentions that differ in diacritics.", is_flag=True, rare=True)
AVERAGE = option("--average", "average", group="Comparison", help="Average over types.",
    type=types.choice("micro", "macro", "weighted"), default="micro", metavar="HOW")
PART = option("--part", "part", group="Comparison", help="The measure to compare.",
    type=types.choice("precision", "recall", "f1"), default="f1", metavar="PART")
CRITERION = option("--criterion", "criterion", group="Comparison", help="A criterion of the matcher.",
    metavar="NAME")
TYPE = option("--type", "ty", group="Comparison", help="Compare the measure for this type only.",
    metavar="TYPE")
UNIT = option("--unit", "unit", group="Significance", help="Unit to resample.",
    type=types.choice("sentence", "document"), metavar="UNIT")
SIGNIFICANCE_TEST = option("--significance-test", "significance_test", group="Significance",
    help="How p-values are computed.", type=types.choice("randomisation", "bootstrap"),
    default="randomisation", metavar="TEST")
GROUP = option("--group", "groups", group="Significance",
    help="Files that match PATTERN are seeds of the system NAME.", metavar="NAME=PATTERN", multiple=True)
BASELINE = option("--baseline", "baseline", group="Significance",
    help="Compare all other systems with this one only.", metavar="NAME")
BY_TYPE = option("--by-type", "by_type", group="Significance",
    help="Also test the difference for each type.", is_flag=True)
INTERVALS = option("--intervals", "intervals", group="Intervals", help="Confidence intervals of F1.",
    is_flag=True)
LEVEL = option("--level", "level", group="Intervals", help="Confidence level; 0.95 is 95 %.",
    type=types.FloatRange(min=0, max=1, min_open=True, max_open=True), default=0.95, metavar="LEVEL")
INTERVAL_METHOD = option("--interval-method", "interval_method", group="Intervals",
    help="Kind of interval.", type=types.choice("percentile", "bca"), default="percentile",
    metavar="METHOD")
SAMPLES = option("--samples", "samples", group="Intervals", help="Number of resamples.",
    type=types.IntRange(min=1, max=10000000), default=10000, metavar="N")
SEED = option("--seed", "seed", group="Computation", help="Random seed.",
    type=types.IntRange(min=0, max=9223372036854775807), default=0, metavar="N")
THREADS = option("--threads", "threads", group="Computation",
    help="Number of threads; by default all processors.", type=types.IntRange(min=0, max=1024), default=0,
    show_default="", metavar="N")
SCHEME = option("--scheme", "scheme", group="Tags", help="Scheme of the tags.", default="auto",
    metavar="SCHEME")
LEGAL_SCHEME = option("--scheme", "scheme", group="Tags",
    help="Predict only legal tags of SCHEME; none: any tags.", default="auto", metavar="SCHEME")
PRED_SCHEME = option("--pred-scheme", "pred_scheme", group="Tags",
    help="Scheme of pred, if it differs from gold's.", metavar="SCHEME")
TARGET_FORMAT = option("--to", "to", group="Output", help="Write this format instead of converting tags.",
    type=types.choice("columns", "conllu", "stacked", "spans", "mat-json", "xml-inline", "brat", "doccano",
    "prodigy", "label-studio", "label-studio-min", "label-studio-csv", "webanno-tsv", "uima-xmi",
    "gate-xml", "bioc-xml", "bioc-json", "pubtator", "jsonl-spans", "csv-spans", "spacy", "parquet",
    "arrow", "csv", "jsonl-tags"), metavar="FORMAT")
LOSSY = option("--lossy", "lossy", group="Output",
    help="Write even if the format cannot represent everything.", is_flag=True)
TO_SCHEME = option("--to-scheme", "to_scheme", group="Tags", help="Scheme of the tags to write.",
    metavar="SCHEME")
MODEL_SCHEME = option("--model-scheme", "model_scheme", group="Model",
    help="Scheme if the model has none (CRFsuite).", metavar="SCHEME")
READING = option("--reading", "reading", group="Tags", help="How malformed tags are read.",
    type=types.choice("conlleval", "strict", "discard", "refuse", "ncrfpp", "seqeval", "seqeval-strict"),
    metavar="READING")
ALL_READINGS = option("--all-readings", "all_readings", group="Tags",
    help="Show F1 under every reading of malformed tags.", is_flag=True)
TAG_SEPARATOR = option("--tag-separator", "tag_separator", group="Tags",
    help="Separator between prefix and type of a tag.", default="-", metavar="TEXT", rare=True)
SUFFIX = option("--suffix", "suffix", group="Tags", help="The prefix follows the type: PER-B.",
    is_flag=True, rare=True)
FORMAT = option("--format", "format_name", group="Input", help="Format of the input files.",
    type=types.choice("auto", "columns", "conllu", "stacked", "spans", "mat-json", "xml-inline",
    "fake-xml-inline", "raw", "brat", "doccano", "prodigy", "label-studio", "label-studio-min",
    "label-studio-csv", "webanno-tsv", "uima-xmi", "gate-xml", "bioc-xml", "bioc-json", "pubtator",
    "jsonl-spans", "csv-spans", "spacy", "parquet", "arrow", "csv", "jsonl-tags", "generated"),
    default="auto", metavar="FORMAT")
COLUMN = option("--column", "tag", group="Input", help="Column of the tags, from 0.", type=types.COLUMNS,
    default=-1, metavar="COLUMN")
TOKEN_COLUMN = option("--token-column", "token", group="Input", help="Column of the tokens.",
    type=types.COLUMN, default=0, metavar="COLUMN")
GOLD_COLUMN = option("--gold-column", "gold_column", group="Input", help="Column of the gold tags.",
    type=types.COLUMNS, metavar="COLUMN")
PRED_COLUMN = option("--pred-column", "pred_column", group="Input", help="Column of the pred tags.",
    type=types.COLUMNS, metavar="COLUMN")
GOLD_ANNOTATOR = option("--gold-annotator", "gold_annotator", group="Input",
    help="Annotator whose annotations are gold.", metavar="NAME", rare=True)
PRED_ANNOTATOR = option("--pred-annotator", "pred_annotator", group="Input",
    help="Annotator whose annotations are pred.", metavar="NAME", rare=True)
SEPARATOR = option("--separator", "separator", group="Input", help="Separator of columns.", default="auto",
    metavar="SEPARATOR", rare=True)
COMMENTS = option("--comments", "comments", group="Input", help="Prefix of comment lines.", default="auto",
    metavar="PREFIX", rare=True)
DOCUMENT_COLUMN = option("--document-column", "document_column", group="Input",
    help="Column of a table with the document names.", metavar="NAME", rare=True)
POSITION_COLUMN = option("--position-column", "position_column", group="Input",
    help="Column of token positions in a long table.", metavar="NAME", rare=True)
PUNCT_COLUMN = option("--punct-column", "punct_column", group="Input",
    help="Column of parts of speech; drop punctuation.", type=types.COLUMN, metavar="COLUMN", rare=True)
ANNOTATOR = option("--annotator", "annotator", group="Input",
    help="The annotator whose annotations are read.", metavar="NAME", rare=True)
LAYER = option("--layer", "layer", group="Input", help="Span group, annotation set or type of annotations.",
    metavar="NAME", rare=True)
TRIM = option("--trim", "trim", group="Input", help="Remove characters at both ends of annotations.",
    type=types.choice("nothing", "spaces", "punctuation"), default="nothing", metavar="WHAT", rare=True)
OFFSETS = option("--offsets", "offsets", group="Input",
    help="Unit of offsets if the file differs from its format.", type=types.choice("format", "utf-16",
    "bytes"), default="format", metavar="UNIT", rare=True)
INCLUSIVE_ENDS = option("--inclusive-ends", "inclusive_ends", group="Input",
    help="The end of an annotation is its last character.", is_flag=True, rare=True)
ENCODING = option("--encoding", "encoding", group="Input", help="Encoding of XML, raw text and CSV.",
    show_default="UTF-8", metavar="NAME", rare=True)
MAX_EXPANSION = option("--max-expansion", "max_expansion", group="Input",
    help="Largest expansion ratio of compressed files.", type=types.IntRange(min=1), show_default="100",
    metavar="N", rare=True)
FILE_RE = option("--file-re", "file_re", group="Several files",
    help="Score only pred files whose names match RE.", metavar="RE", rare=True)
SUFFIX_OFF = option("--suffix-off", "suffix_off", group="Several files",
    help="Suffix removed from pred's name to find gold.", metavar="SUFFIX", rare=True)
SUFFIX_ON = option("--suffix-on", "suffix_on", group="Several files",
    help="Suffix then added to find gold.", metavar="SUFFIX", rare=True)
ON_ERROR = option("--on-error", "on_error", group="Several files", help="Action on file errors.",
    type=types.choice("raise", "skip"), default="raise", metavar="HOW")
BY_DOCUMENT = option("--by-document", "by_document", group="Output",
    help="Also print a row for each document.", is_flag=True)
BY_SENTENCE = option("--by-sentence", "by_sentence", group="Output", help="Keep counts by sentence.",
    is_flag=True, rare=True)
ERRORS = option("--errors", "errors", group="Output", help="List N errors (20), frequent kinds first.",
    type=types.ERROR_COUNT, is_flag=False, flag_value=20, metavar="[N]")
MAX_VIOLATIONS = option("--max-violations", "max_violations", group="Output",
    help="Number of violations to list.", type=types.IntRange(min=0, max=1000000000), metavar="N",
    rare=True)
SHORT_SIGNATURE = option("--short-signature", "short_signature", group="Output",
    help="Print the short form of the signature.", is_flag=True, rare=True)
SAVE = option("--save", "save", group="Output", help="Also write the counts, for spanrs merge.",
    metavar="COUNTS")
SHARD_NAME = option("--shard-name", "shard_name", group="Output", help="Name of the shard in saved counts.",
    metavar="NAME", rare=True)
FAIL_UNDER = option("--fail-under", "fail_under", group="Output",
    help="Exit with status 1 below a bound: f1=0.8.", type=types.BOUNDS, metavar="NAME=VALUE",
    multiple=True)
PLOT = option("--plot", "plot", group="Output", help="Draw a plot: a .png, .svg or .pdf file.",
    metavar="FILE")
OUTPUT = option("-o", "--output", "output_path", group="Output",
    help="Write the result to FILE; - is standard output.", metavar="FILE")
MODEL_OUTPUT = option("-o", "--output", "output_path", group="Output",
    help="Write the model to FILE; - is standard output.", metavar="FILE")
CORPUS_OUTPUT = option("-o", "--output", "output_path", group="Output",
    help="Write the sentences to FILE; - is standard output.", metavar="FILE")
CONSENSUS_OUTPUT = option("-o", "--output", "output_path", group="Output",
    help="Write the consensus to FILE.", metavar="FILE")
REPORT = option("--report", "report", group="Output",
    help="Write the report to FILE instead of printing it.", metavar="FILE")
LINK = option("--link", "link", group="Output",
    help="Link to each document, with {id} or {name}, for an HTML report.", type=types.TASK_LINK,
    metavar="URL")
TO = option("--to", "to", group="Output", help="Output format; by default given by the suffix.",
    type=types.choice("text", "markdown", "latex", "csv", "json", "html", "jsonl", "svg"), metavar="FORMAT")
JSON = option("--json", "as_json", group="Output", help="Short for --to json.", is_flag=True)
QUIET = option("-q", "--quiet", "quiet", group="Output", help="Do not show progress on standard error.",
    is_flag=True)
SENTENCES = option("--sentences", "sentences", group="Output", help="Number of sentences to show.",
    type=types.IntRange(min=0, max=1000000000), default=3, metavar="N")
CONFIG = option("--config", "config", group="Comparison", help="Configuration file of FairEval.",
    metavar="FILE")
TASK = option("--task", "task", group="MATScore", help="Use the types of a task: task.xml, or a name.",
    metavar="NAME|PATH", rare=True)
TASK_PATH = option("--task-path", "task_path", group="MATScore", help="Location of the task.",
    type=types.PATH, metavar="PATH", multiple=True, rare=True)
TOKEN_TYPES = option("--token-types", "token_types", group="MATScore", help="Types of tokens.",
    type=types.NAMES, metavar="TYPE,...", multiple=True, rare=True)
BY_TOKEN = option("--by-token", "by_token", group="MATScore", help="Print a table by token.", is_flag=True,
    rare=True)
BY_PSEUDO_TOKEN = option("--by-pseudo-token", "by_pseudo_token", group="MATScore",
    help="Print a table by pseudo-token.", is_flag=True, rare=True)
BY_CHARACTER = option("--by-character", "by_character", group="MATScore",
    help="Print a table by character.", is_flag=True, rare=True)
CLASH_KINDS = option("--clash-kinds", "clash_kinds", group="MATScore",
    help="Add columns for the seven kinds of clashes.", is_flag=True, rare=True)
DETAILS = option("--details", "details", group="MATScore",
    help="Print a table of all pairs of annotations.", is_flag=True, rare=True)
CONFUSABILITY = option("--confusability", "confusability", group="MATScore",
    help="Print a confusion matrix of labels.", is_flag=True, rare=True)
CONFIDENCE = option("--confidence", "confidence", group="MATScore",
    help="Add mean, variance, deviation of measures.", is_flag=True, rare=True)
PERCENT = option("--percent", "percent", group="MATScore", help="Print measures in per cent.", is_flag=True,
    rare=True)
CSV_DIRECTORY = option("--csv-directory", "csv_directory", group="MATScore",
    help="Write MATScore's CSV files to DIRECTORY.", type=types.PATH, metavar="DIRECTORY", rare=True)
CSV_FORMULAS = option("--csv-formulas", "csv_formulas", group="MATScore",
    help="Kind of formulas in the CSV files.", type=types.choice("excel", "openoffice", "none"),
    show_default="excel", metavar="KIND", rare=True)
XLSX = option("--xlsx", "xlsx", group="MATScore", help="Write a workbook with formulas.", type=types.PATH,
    metavar="FILE", rare=True)
UNPAIRED_OVERLAP = option("--unpaired-overlap", "unpaired_overlap", group="MATScore",
    help="How unpaired overlapping annotations count.", type=types.choice("alone", "clash"),
    show_default="alone", metavar="HOW", rare=True)
PIECES = option("--pieces", "pieces", group="MATScore", help="How discontinuous annotations are scored.",
    type=types.choice("cover", "split", "refuse"), show_default="cover", metavar="HOW", rare=True)
OVERLAY = option("--overlay", "overlay", group="MATScore",
    help="Keep XML elements not in the task as text.", is_flag=True, rare=True)
ALL_ELEMENTS = option("--all-elements", "all_elements", group="MATScore",
    help="Read all XML elements as annotations.", is_flag=True, rare=True)
DEV = option("--dev", "dev", group="Training", help="Development data, scored after each iteration.",
    metavar="FILE")
ALGORITHM = option("--algorithm", "algorithm", group="Training", help="Training algorithm.",
    type=types.choice("sdca", "lbfgs", "l2sgd", "ap", "pa", "arow"), default="sdca", metavar="NAME")
C1 = option("--c1", "c1", group="Training", help="Coefficient of the L1 norm.", type=types.FloatRange(),
    default=0.0, metavar="C")
C2 = option("--c2", "c2", group="Training", help="Coefficient of the sum of squared weights.",
    type=types.FloatRange(), default=1.0, metavar="C")
TOL = option("--tol", "tol", group="Training", help="Stop this near to the minimum (sdca).",
    type=types.FloatRange(), default=0.0001, metavar="X")
CROWD_C2 = option("--c2", "c2", group="Training", help="Coefficient of the sum of squared weights.",
    type=types.FloatRange(), show_default="1; 0.5 for CrossFitted", metavar="C")
MAX_ITER = option("--max-iter", "max_iter", group="Training", help="Maximum number of iterations.",
    type=types.IntRange(min=1), metavar="N")
MIN_FREQ = option("--min-freq", "min_freq", group="Training", help="Minimum frequency of features.",
    type=types.FloatRange(), default=0.0, metavar="N")
CLASS_WEIGHT = option("--class-weight", "class_weight", group="Training",
    help="Cost of missing TAG, or 'balanced'. Repeatable.", metavar="TAG=W", multiple=True)
VALIDATION_FRACTION = option("--validation-fraction", "validation_fraction", group="Training",
    help="Hold out this fraction as `--dev`.", type=types.FloatRange(), metavar="X")
MAX_MEMORY = option("--max-memory", "max_memory", group="Training",
    help="Move larger features to a temporary file (500MB).", metavar="SIZE")
SPILL_DIR = option("--spill-dir", "spill_dir", group="Training", help="Directory of this file.",
    metavar="DIR")
CROWD_MIN_FREQ = option("--min-freq", "min_freq", group="Training", help="Minimum frequency of features.",
    type=types.FloatRange(), show_default="0", metavar="N")
CALIBRATE = option("--calibrate", "calibrate", group="Training",
    help="Fit the temperature to `--dev` after training.", is_flag=True)
PATIENCE = option("--patience", "patience", group="Training",
    help="Stop after N iterations without improvement.", type=types.IntRange(min=1), metavar="N")
START = option("--start", "start", group="Training", help="Start training from the weights of this model.",
    metavar="MODEL")
KEEP_ON_INTERRUPT = option("--keep-on-interrupt", "keep_on_interrupt", group="Training",
    help="Ctrl-C ends training and writes the model.", is_flag=True)
TAGGER_ONLY = option("--tagger-only", "tagger_only", group="Training",
    help="Train only a tagger; GOLD needs no trees.", is_flag=True)
WITHOUT = option("--without", "without", group="Training",
    help="Do not train the segmenter, morphology or parser.", type=types.choice("segmenter", "morphology",
    "parser"), metavar="NAME", multiple=True)
RAW = option("--raw", "raw", group="Comparison", help="Parse the text of GOLD, not its words.",
    is_flag=True)
PUBLISHED = option("--published", "published", group="Training",
    help="Train exactly like parser.py; no labels.", is_flag=True)
FEATURES = option("--features", "features", group="Training",
    help="Templates of the parser: rich, published, FILE.", default="rich", metavar="NAME|FILE")
UNLABELLED = option("--unlabelled", "unlabelled", group="Training", help="Do not learn the labels of arcs.",
    is_flag=True)
EPOCHS = option("--epochs", "epochs", group="Training", help="Number of training passes of the parser.",
    type=types.IntRange(min=1), show_default="14; 15 with --published", metavar="N")
TAGGER_EPOCHS = option("--tagger-epochs", "tagger_epochs", group="Training",
    help="Number of training passes of the tagger.", type=types.IntRange(min=1), default=14, metavar="N")
MODELS = option("--models", "models", group="Training", help="Number of parsers whose weights are summed.",
    type=types.IntRange(min=1, max=100), default=5, metavar="N")
MAX_WEIGHTS = option("--max-weights", "max_weights", group="Training",
    help="Number of weights of the parser, 0 for all.", type=types.IntRange(min=0), default=1000000,
    metavar="N")
BEAM = option("--beam", "beam", group="Training", help="Width of the beam; 1 for a greedy parser.",
    type=types.IntRange(min=1, max=64), default=1, metavar="N")
EXPLORE_FROM = option("--explore-from", "explore_from", group="Training",
    help="First pass that follows predicted moves.", type=types.IntRange(min=1), default=2, metavar="N")
AGGRESSIVENESS = option("--aggressiveness", "aggressiveness", group="Training",
    help="Maximum step of passive-aggressive updates.",
    type=types.FloatRange(min=0, min_open=True, max_open=True), metavar="C")
JACKKNIFE = option("--jackknife", "jackknife", group="Training",
    help="Number of parts of GOLD for jackknifing.", type=types.IntRange(min=0), default=10, metavar="N")
TEMPLATE = option("--template", "template", group="Model",
    help="Feature template; see spanrs crf template.", metavar="NAME|FILE")
GAZETTEER = option("--gazetteer", "gazetteer", group="Model", help="Phrases for %in[0,0,NAME]. Repeatable.",
    metavar="NAME=FILE", multiple=True)
CLUSTERS = option("--clusters", "clusters", group="Model",
    help="Word clusters for %cluster[0,0,NAME]. Repeatable.", metavar="NAME=FILE", multiple=True)
FEATURE_COLUMN = option("--feature-column", "features", group="Model",
    help="A further column for the template. Repeatable.", type=types.COLUMN, metavar="COLUMN",
    multiple=True)
POSTERIOR = option("--posterior", "posterior", group="Model",
    help="Predict the most probable tag of each token.", is_flag=True)
PROBABILITIES = option("--probabilities", "probabilities", group="Output",
    help="Add a column with the probability of each tag.", is_flag=True)
TOP = option("--top", "top", group="Output", help="Number of features per label and of transitions.",
    type=types.IntRange(min=0, max=1000000000), default=10, metavar="N")
ANNOTATOR_NAME = option("--annotator-name", "annotators", group="Input",
    help="Name of an annotator, in order. Repeatable.", metavar="NAME", multiple=True)
KNOWN = option("--known", "known", group="Input", help="True annotations of some documents or sentences.",
    metavar="GOLD")
KNOWN_ANNOTATOR = option("--known-annotator", "known_annotator", group="Input",
    help="Annotator whose answers are the true annotations.", metavar="NAME")
MIN_ANNOTATORS = option("--min-annotators", "min_annotators", group="Output",
    help="Leave out documents that fewer than N annotators answered.", type=types.IntRange(min=1),
    default=1, metavar="N")
OUTPUT_FORMAT = option("--output-format", "output_format", group="Output",
    help="Format of -o; by default that of FILE.", type=types.choice("columns", "conllu", "stacked",
    "spans", "mat-json", "xml-inline", "brat", "doccano", "prodigy", "label-studio", "label-studio-min",
    "label-studio-csv", "webanno-tsv", "uima-xmi", "gate-xml", "bioc-xml", "bioc-json", "pubtator",
    "jsonl-spans", "csv-spans", "spacy", "parquet", "arrow", "csv", "jsonl-tags"), metavar="FORMAT")
AGGREGATOR = option("--aggregator", "aggregator", group="Aggregation",
    help="Method that estimates the true labels.", type=types.choice("MVseq", "MVtoken", "MVseg",
    "CRF-CONC", "CRF-CONC-normalized", "MultiCRF", "MultiCRF-MAX", "CRF-MA", "CRF-MA-exact",
    "CRF-MA-sentence", "CRF-MA-prior", "Dawid-Skene", "one-coin", "MACE", "HMM-crowd", "BSC-seq",
    "CrossFitted", case_sensitive=False), show_default="BSC-seq; for fit CRF-MA", metavar="NAME")
MOST = option("--most", "most", group="Output", help="Maximum number of assignments.",
    type=types.IntRange(min=1), show_default="the number of documents", metavar="N")
PER_ANNOTATOR = option("--per-annotator", "per_annotator", group="Output",
    help="Maximum number of documents for each annotator.", type=types.IntRange(min=1),
    show_default="unlimited", metavar="N")
ANNOTATORS_PER_DOCUMENT = option("--annotators-per-document", "min_annotators", group="Output",
    help="Documents with fewer annotators are assigned first.", type=types.IntRange(min=0), default=1,
    metavar="N")
AGGREGATORS = option("--aggregators", "aggregators", group="Aggregation", help="The methods to compare.",
    show_default="all", metavar="NAME,...")
REFERENCE = option("--reference", "reference", group="Aggregation",
    help="Method with which others are compared.", default="CRF-MA", metavar="NAME")
MEASURE = option("--measure", "measure", group="Output", help="Measure of the plot.",
    type=types.choice("f1", "overlap_f1", "untyped_f1", "kappa"), show_default="f1; kappa without tags",
    metavar="NAME")
POSITIONS = option("--positions", "positions", group="Agreement",
    help="Positions of kappa and alpha: tokens or characters.", type=types.choice("tokens", "characters"),
    default="tokens", metavar="UNIT")
GAMMA = option("--gamma", "gamma", group="Agreement", help="Also compute gamma, which takes longer.",
    is_flag=True)
AGREEMENT_SAMPLES = option("--resamples", "samples", group="Intervals",
    help="Number of resamples of documents; 0: no intervals.", type=types.IntRange(min=0, max=10000000),
    default=1000, metavar="N")
GOLD = option("--gold", "gold", group="Input", help="The true labels: one token and label per line.",
    metavar="FILE")
CROWD = option("--crowd", "crowd", group="Input", help="Annotations; simulated by default.", metavar="FILE")
TEST = option("--test", "test", group="Input", help="Tokens and true labels to test CRFs on.",
    metavar="FILE")
TEST_COLUMN = option("--test-column", "test_column", group="Input", help="Column of the labels in --test.",
    type=types.COLUMN, show_default="--column", metavar="COLUMN")
NOISE = option("--noise", "noise", group="Simulation", help="Variance of the noise of each annotator.",
    type=types.NUMBERS, metavar="V,...")
FLIP = option("--flip", "flip", group="Simulation", help="Error probability of each annotator.",
    type=types.NUMBERS, metavar="P,...")
NO_REPEATS = option("--no-repeats", "alone", group="Simulation",
    help="Each sentence is labelled by one annotator.", is_flag=True)
REPETITIONS = option("--repetitions", "repetitions", group="Simulation", help="Number of simulations.",
    type=types.IntRange(min=1, max=10000), show_default="30; 1 with --crowd", metavar="N")
KEEP_TAGS = option("--keep-tags", "keep_tags", group="Model", help="Use and keep the tags of the files.",
    is_flag=True)
LINES = option("--lines", "lines", group="Input", help="Raw text: a sentence ends at every line end.",
    is_flag=True)
BLANK = option("--blank", "blank", group="Output", help='Write "_" in columns that are not predicted.',
    is_flag=True)
MODEL = option("--model", "model_path", group="Model",
    help="Model that parses FILE: a file or an installed model.", metavar="MODEL")
TEXT = option("--text", "is_text", group="Input", help="FILE is a sentence, not a file; needs --model.",
    is_flag=True)
SENTENCE = option("--sentence", "sentence", group="Input", help="Only the sentence with this number.",
    type=types.IntRange(min=1), metavar="N")
SUBTYPES = option("--subtypes", "subtypes", group="Comparison",
    help="Compare labels with subtypes (nmod:poss).", is_flag=True)
ANY_ROOTS = option("--any-roots", "any_roots", group="Trees", help="Allow several roots in a sentence.",
    is_flag=True)
PER_LABEL = option("--per-label", "per_label", group="Output", help="Also print a table of LAS by label.",
    is_flag=True)

score = command("score", arguments=[argument("gold", metavar="GOLD"), argument("preds", metavar="[PRED]...",
    nargs=-1, required=False)], options=[MATCHER, MATCHING, MIN_OVERLAP, WEIGHTS, FOCUS, BETA,
    IOU_THRESHOLD, SKIP, COUNT, HIERARCHY, HIERARCHY_LEVEL, COUNTING, NORMALIZATION, WITHIN, TYPES, EXCLUDE,
    MAP, UNTYPED, ALIGN, LIKE, SCHEME, PRED_SCHEME, READING, ALL_READINGS, ALL_SETTINGS, GOLD_COLUMN,
    PRED_COLUMN, GOLD_ANNOTATOR, PRED_ANNOTATOR, FORMAT, COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS,
    DOCUMENT_COLUMN, POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR, LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS,
    ENCODING, MAX_EXPANSION, TAG_SEPARATOR, SUFFIX, TEXTS, SCHEMA, TYPE_NAME, OFF_SCHEMA, UNGROUNDED,
    UNANSWERED, OCCURRENCES, STAGES, THRESHOLD, DIACRITICS, ON_ERROR, FILE_RE, SUFFIX_OFF, SUFFIX_ON,
    OUTPUT, TO, JSON, BY_DOCUMENT, BY_SENTENCE, ERRORS, MAX_VIOLATIONS, FAIL_UNDER, PLOT, SAVE, SHARD_NAME,
    SHORT_SIGNATURE, INTERVALS, LEVEL, INTERVAL_METHOD, SAMPLES, SEED, THREADS, TASK, TASK_PATH,
    TOKEN_TYPES, BY_TOKEN, BY_PSEUDO_TOKEN, BY_CHARACTER, CLASH_KINDS, DETAILS, CONFUSABILITY, CONFIDENCE,
    PERCENT, CSV_DIRECTORY, CSV_FORMULAS, XLSX, UNPAIRED_OVERLAP, PIECES, OVERLAY, ALL_ELEMENTS],
    formats=("text", "markdown", "latex", "csv", "json", "html", "jsonl"))
compare = command("compare", arguments=[argument("paths", metavar="[GOLD] [A] [B]...", nargs=-1,
    required=False)], options=[LIBRARY_MATCHER, MATCHING, MIN_OVERLAP, WEIGHTS, FOCUS, BETA, IOU_THRESHOLD,
    SKIP, COUNT, HIERARCHY, HIERARCHY_LEVEL, COUNTING, NORMALIZATION, WITHIN, AVERAGE, PART, CRITERION,
    TYPE, ALIGN, SCHEME, PRED_SCHEME, READING, FORMAT, COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS,
    DOCUMENT_COLUMN, POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR, LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS,
    ENCODING, MAX_EXPANSION, TAG_SEPARATOR, SUFFIX, TEXTS, SCHEMA, TYPE_NAME, OFF_SCHEMA, UNGROUNDED,
    UNANSWERED, OCCURRENCES, STAGES, THRESHOLD, DIACRITICS, UNIT, GROUP, BASELINE, SIGNIFICANCE_TEST,
    BY_TYPE, LEVEL, SAMPLES, SEED, THREADS, OUTPUT, TO, JSON, PLOT, FAIL_UNDER], formats=("text",
    "markdown", "latex", "csv", "json", "html"))
agreement = command("agreement", arguments=[argument("paths", metavar="FILE...", nargs=-1, required=True)],
    options=[ANNOTATOR_NAME, POSITIONS, GAMMA, AGREEMENT_SAMPLES, LEVEL, SEED, THREADS, OUTPUT, TO, JSON,
    PLOT, MEASURE], formats=("text", "markdown", "latex", "csv", "json", "html"))
merge = command("merge", arguments=[argument("paths", metavar="COUNTS...", nargs=-1, required=True)],
    options=[UNTYPED, INTERVALS, LEVEL, INTERVAL_METHOD, SAMPLES, SEED, THREADS, OUTPUT, TO, JSON,
    MAX_VIOLATIONS, SAVE, SHORT_SIGNATURE], formats=("text", "markdown", "latex", "csv", "json", "html"))
fair = command("fair", arguments=[argument("target_in", metavar="[GOLD]", required=False),
    argument("system_in", metavar="[PRED]", required=False)], options=[CONFIG, FORMAT, COLUMN, TOKEN_COLUMN,
    SEPARATOR, COMMENTS, PUNCT_COLUMN, OUTPUT, TO, JSON], formats=("text", "markdown", "latex", "csv",
    "json", "html"), choices={"format": ("auto", "spans", "stacked")})
read = command("read", arguments=[argument("files", metavar="FILE...", nargs=-1, required=True)],
    options=[SCHEME, READING, FORMAT, COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS, DOCUMENT_COLUMN,
    POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR, LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS, ENCODING, MAX_EXPANSION,
    TAG_SEPARATOR, SUFFIX, TEXTS, SCHEMA, TYPE_NAME, OFF_SCHEMA, UNGROUNDED, UNANSWERED, OCCURRENCES,
    STAGES, THRESHOLD, DIACRITICS, SENTENCES, OUTPUT, TO, JSON], formats=("text", "json"))
validate = command("validate", arguments=[argument("file", metavar="FILE")], options=[SCHEME, FORMAT,
    COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS, DOCUMENT_COLUMN, POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR,
    LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS, ENCODING, MAX_EXPANSION, TAG_SEPARATOR, SUFFIX, MAX_VIOLATIONS,
    OUTPUT, TO, JSON], formats=("text", "markdown", "latex", "csv", "json", "html"))
convert = command("convert", arguments=[argument("file", metavar="FILE")], options=[TARGET_FORMAT, LOSSY,
    SCHEME, TO_SCHEME, READING, FORMAT, COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS, DOCUMENT_COLUMN,
    POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR, LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS, ENCODING, MAX_EXPANSION,
    TAG_SEPARATOR, SUFFIX, TEXTS, SCHEMA, TYPE_NAME, OFF_SCHEMA, UNGROUNDED, UNANSWERED, OCCURRENCES,
    STAGES, THRESHOLD, DIACRITICS, CORPUS_OUTPUT])
spans = command("spans", arguments=[argument("file", metavar="FILE")], options=[SCHEME, READING, FORMAT,
    COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS, DOCUMENT_COLUMN, POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR,
    LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS, ENCODING, MAX_EXPANSION, TAG_SEPARATOR, SUFFIX, OUTPUT])
crf_train = command("train", arguments=[argument("gold", metavar="GOLD")], options=[MODEL_OUTPUT, DEV,
    TEMPLATE, FEATURE_COLUMN, GAZETTEER, CLUSTERS, ALGORITHM, C1, C2, TOL, MAX_ITER, MIN_FREQ, CLASS_WEIGHT,
    VALIDATION_FRACTION, PATIENCE, CALIBRATE, START, MAX_MEMORY, SPILL_DIR, KEEP_ON_INTERRUPT, SEED,
    THREADS, LEGAL_SCHEME, FORMAT, COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS, DOCUMENT_COLUMN,
    POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR, LAYER, TRIM, OFFSETS, INCLUSIVE_ENDS, ENCODING, MAX_EXPANSION,
    TAG_SEPARATOR, SUFFIX, QUIET, REPORT, TO, JSON], formats=("text", "json"), required=["output_path"])
crf_tag = command("tag", arguments=[argument("model_path", metavar="MODEL"), argument("files",
    metavar="FILE...", nargs=-1, required=True)], options=[TEMPLATE, FEATURE_COLUMN, POSTERIOR,
    MODEL_SCHEME, FORMAT, COLUMN, TOKEN_COLUMN, SEPARATOR, COMMENTS, THREADS, CORPUS_OUTPUT, PROBABILITIES],
    choices={"format": ("auto", "columns", "conllu")})
crf_eval = command("eval", arguments=[argument("model_path", metavar="MODEL"), argument("gold",
    metavar="GOLD")], options=[TEMPLATE, FEATURE_COLUMN, POSTERIOR, SCHEME, READING, FORMAT, COLUMN,
    TOKEN_COLUMN, SEPARATOR, COMMENTS, DOCUMENT_COLUMN, POSITION_COLUMN, PUNCT_COLUMN, ANNOTATOR, LAYER,
    TRIM, OFFSETS, INCLUSIVE_ENDS, ENCODING, MAX_EXPANSION, TAG_SEPARATOR, SUFFIX, THREADS, OUTPUT, TO,
    JSON], formats=("text", "markdown", "latex", "csv", "json", "html"))
crf_info = command("info", arguments=[argument("model_path", metavar="MODEL")], options=[TOP, OUTPUT, TO,
    JSON], formats=("text", "markdown", "latex", "csv", "json", "html"))
crf_template = command("template", arguments=[argument("name", metavar="[NAME]", required=False)],
    options=[])
crowd_aggregate = command("aggregate", arguments=[argument("paths", metavar="FILE...", nargs=-1,
    required=True)], options=[ANNOTATOR_NAME, KNOWN, KNOWN_ANNOTATOR, AGGREGATOR, TEMPLATE, CROWD_C2,
    CROWD_MIN_FREQ, SEED, THREADS, CONSENSUS_OUTPUT, OUTPUT_FORMAT, MIN_ANNOTATORS, LOSSY, PROBABILITIES,
    LINK, REPORT, TO, JSON], formats=("text", "markdown", "latex", "csv", "json", "html"))
crowd_fit = command("fit", arguments=[argument("paths", metavar="FILE...", nargs=-1, required=True)],
    options=[ANNOTATOR_NAME, KNOWN, KNOWN_ANNOTATOR, AGGREGATOR, TEMPLATE, CROWD_C2, CROWD_MIN_FREQ, SEED,
    THREADS, MODEL_OUTPUT, REPORT, TO, JSON], formats=("text", "markdown", "latex", "csv", "json", "html"),
    required=["output_path"])
crowd_next = command("next", arguments=[argument("paths", metavar="FILE...", nargs=-1, required=True)],
    options=[ANNOTATOR_NAME, KNOWN, KNOWN_ANNOTATOR, AGGREGATOR, TEMPLATE, CROWD_C2, CROWD_MIN_FREQ, SEED,
    THREADS, MOST, PER_ANNOTATOR, ANNOTATORS_PER_DOCUMENT, OUTPUT, TO, JSON], formats=("text", "markdown",
    "latex", "csv", "json", "html"))
crowd_simulate = command("simulate", arguments=[argument("gold", metavar="GOLD")], options=[NOISE, FLIP,
    NO_REPEATS, FEATURE_COLUMN, TEMPLATE, CROWD_C2, CROWD_MIN_FREQ, SEED, THREADS, FORMAT, COLUMN,
    TOKEN_COLUMN, SEPARATOR, COMMENTS, CORPUS_OUTPUT], choices={"format": ("auto", "columns", "conllu")},
    required=["output_path"])
crowd_experiment = command("experiment", options=[GOLD, CROWD, TEST, TEST_COLUMN, FORMAT, COLUMN,
    TOKEN_COLUMN, SEPARATOR, COMMENTS, NOISE, FLIP, NO_REPEATS, REPETITIONS, AGGREGATORS, REFERENCE,
    FEATURE_COLUMN, TEMPLATE, CROWD_C2, CROWD_MIN_FREQ, SEED, THREADS, OUTPUT, TO, JSON, PLOT],
    formats=("text", "markdown", "latex", "csv", "json", "html"), choices={"format": ("auto", "columns",
    "conllu")}, required=["gold"])
dep_train = command("train", arguments=[argument("gold", metavar="GOLD")], options=[MODEL_OUTPUT, DEV,
    TAGGER_ONLY, WITHOUT, PUBLISHED, FEATURES, UNLABELLED, ANY_ROOTS, EPOCHS, TAGGER_EPOCHS, MODELS,
    MAX_WEIGHTS, BEAM, EXPLORE_FROM, AGGRESSIVENESS, JACKKNIFE, PATIENCE, SEED, QUIET, REPORT, TO, JSON],
    formats=("text", "json"), required=["output_path"])
dep_parse = command("parse", arguments=[argument("model_path", metavar="MODEL"), argument("files",
    metavar="FILE...", nargs=-1, required=True)], options=[FORMAT, LINES, KEEP_TAGS, THREADS, CORPUS_OUTPUT,
    BLANK], choices={"format": ("auto", "conllu", "four-columns", "word-tag", "tokens", "raw")})
dep_tag = command("tag", arguments=[argument("model_path", metavar="MODEL"), argument("files",
    metavar="FILE...", nargs=-1, required=True)], options=[FORMAT, LINES, THREADS, CORPUS_OUTPUT, BLANK],
    choices={"format": ("auto", "conllu", "four-columns", "word-tag", "tokens", "raw")})
dep_eval = command("eval", arguments=[argument("gold", metavar="GOLD"), argument("pred",
    metavar="PRED|MODEL")], options=[RAW, SUBTYPES, ANY_ROOTS, THREADS, OUTPUT, TO, JSON, PER_LABEL],
    formats=("text", "markdown", "latex", "csv", "json", "html"))
dep_draw = command("draw", arguments=[argument("file", metavar="FILE")], options=[FORMAT, MODEL, TEXT,
    SENTENCE, OUTPUT, TO], formats=("text", "svg"), choices={"format": ("auto", "conllu", "four-columns",
    "word-tag", "tokens", "raw")})
dep_info = command("info", arguments=[argument("model_path", metavar="MODEL")], options=[OUTPUT, TO, JSON],
    formats=("text", "markdown", "latex", "csv", "json", "html"))
dep_import = command("import", arguments=[argument("model_path", metavar="MODEL.json[.gz]")],
    options=[MODEL_OUTPUT], required=["output_path"])
dep_templates = command("templates", options=[])
