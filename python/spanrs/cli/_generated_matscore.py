"""The options of the commands; written by ``make generate`` from tools/matscore.toml."""

from spanrs.cli import parameter_types as types
from spanrs.cli.described import command, option

# fmt: off

#: Summary of each command, by group.
SUMMARIES = {"": {"MATScore": "Score annotated documents as MITRE's MATScore does."}}

TASK = option("--task", "task", group="Types", help="Use the tags of a task: task.xml or a name.",
    metavar="NAME|PATH")
TASK_PATH = option("--task_path", "task_path", group="Types", help="Location of the task. Repeatable.",
    type=types.PATH, metavar="PATH", multiple=True)
CONTENT_ANNOTATIONS = option("--content_annotations", "content_annotations", group="Types",
    help="Labels to score. Ignored with --task.", type=types.LABELS, metavar="ANN,ANN,...")
TOKEN_ANNOTATIONS = option("--token_annotations", "token_annotations", group="Types",
    help="Labels of tokens. Ignored with --task.", type=types.LABELS, metavar="ANN,ANN,...")
EQUIVALENCE_CLASS = option("--equivalence_class", "equivalence_class", group="Types",
    help="Score several labels as one. Repeatable.", type=types.EQUIVALENCE_CLASS, metavar="LABEL OLD,...",
    multiple=True)
IGNORE = option("--ignore", "ignore", group="Types", help="Labels to exclude.", type=types.LABELS,
    metavar="LABEL,...")
FILE = option("--file", "file", group="Hypothesis", help="The hypothesis file.", type=types.PATH,
    metavar="PATH")
DIR = option("--dir", "dir", group="Hypothesis", help="A directory of hypothesis files.", type=types.PATH,
    metavar="PATH")
FILE_RE = option("--file_re", "file_re", group="Hypothesis",
    help="Regular expression for file names in --dir.", metavar="RE")
FILE_TYPE = option("--file_type", "file_type", group="Hypothesis", help="Format of the hypothesis.",
    type=types.choice("mat-json", "xml-inline", "fake-xml-inline", "raw", "brat", "doccano", "prodigy",
    "label-studio", "label-studio-min", "label-studio-csv", "webanno-tsv", "uima-xmi", "gate-xml",
    "bioc-xml", "bioc-json", "pubtator", "jsonl-spans", "csv-spans", "spacy", "conll"), default="mat-json",
    metavar="TYPE")
ENCODING = option("--encoding", "encoding", group="Hypothesis", help="Encoding of the hypothesis.",
    metavar="NAME")
ANNOTATOR = option("--annotator", "annotator", group="Hypothesis",
    help="The annotator whose annotations are read.", metavar="NAME|INDEX")
LAYER = option("--layer", "layer", group="Hypothesis",
    help="Layer of spaCy's DocBin: ents or a span group.", metavar="NAME")
XML_INPUT_IS_OVERLAY = option("--xml_input_is_overlay", "xml_input_is_overlay", group="Hypothesis",
    help="Keep elements not in the task as text.", is_flag=True)
XML_TRANSLATE_ALL = option("--xml_translate_all", "xml_translate_all", group="Hypothesis",
    help="Read undeclared elements as annotations, too.", is_flag=True)
REF_FILE = option("--ref_file", "ref_file", group="Reference", help="The reference file.", type=types.PATH,
    metavar="PATH")
REF_DIR = option("--ref_dir", "ref_dir", group="Reference", help="A directory of reference files.",
    type=types.PATH, metavar="PATH")
REF_FSUFF_OFF = option("--ref_fsuff_off", "ref_fsuff_off", group="Reference",
    help="Suffix removed from the hypothesis' file name", metavar="SUFF")
REF_FSUFF_ON = option("--ref_fsuff_on", "ref_fsuff_on", group="Reference",
    help="Suffix then added to find the reference.", metavar="SUFF")
REF_FILE_TYPE = option("--ref_file_type", "ref_file_type", group="Reference",
    help="Format of the reference.", type=types.choice("mat-json", "xml-inline", "fake-xml-inline", "raw",
    "brat", "doccano", "prodigy", "label-studio", "label-studio-min", "label-studio-csv", "webanno-tsv",
    "uima-xmi", "gate-xml", "bioc-xml", "bioc-json", "pubtator", "jsonl-spans", "csv-spans", "spacy",
    "conll"), default="mat-json", metavar="TYPE")
REF_ENCODING = option("--ref_encoding", "ref_encoding", group="Reference",
    help="Encoding of the reference.", metavar="NAME")
REF_ANNOTATOR = option("--ref_annotator", "ref_annotator", group="Reference",
    help="The annotator whose annotations are read.", metavar="NAME|INDEX")
REF_LAYER = option("--ref_layer", "ref_layer", group="Reference",
    help="Layer of spaCy's DocBin: ents or a span group.", metavar="NAME")
REF_XML_INPUT_IS_OVERLAY = option("--ref_xml_input_is_overlay", "ref_xml_input_is_overlay",
    group="Reference", help="Keep elements not in the task as text.", is_flag=True)
REF_XML_TRANSLATE_ALL = option("--ref_xml_translate_all", "ref_xml_translate_all", group="Reference",
    help="Read undeclared elements as annotations, too.", is_flag=True)
TAG_SPAN_DETAILS = option("--tag_span_details", "kinds", group="Output",
    help="Add columns for the seven kinds of clashes.", is_flag=True)
DETAILS = option("--details", "details", group="Output", help="Print a table of all pairs of annotations.",
    is_flag=True)
CONFUSABILITY = option("--confusability", "confusability", group="Output",
    help="Print a confusion matrix of labels.", is_flag=True)
BY_TOKEN = option("--by_token", "by_token", group="Output", help="Print a table by token.", is_flag=True)
BY_PSEUDO_TOKEN = option("--by_pseudo_token", "by_pseudo_token", group="Output",
    help="Print a table by pseudo-token.", is_flag=True)
BY_CHARACTER = option("--by_character", "by_character", group="Output", help="Print a table by character.",
    is_flag=True)
COMPUTE_CONFIDENCE_DATA = option("--compute_confidence_data", "compute_confidence_data", group="Output",
    help="Add mean, variance, deviation of measures.", is_flag=True)
CSV_OUTPUT_DIR = option("--csv_output_dir", "csv_output_dir", group="Output",
    help="Write CSV files to PATH instead of printing.", type=types.PATH, metavar="PATH")
NO_CSV_FORMULAS = option("--no_csv_formulas", "no_csv_formulas", group="Output",
    help="Write values instead of formulas to CSV.", is_flag=True)
OO_SEPARATOR = option("--oo_separator", "oo_separator", group="Output",
    help="Write formulas for OpenOffice and LibreOffice.", is_flag=True)
MAX_EXPANSION = option("--max_expansion", "max_expansion", group="Files",
    help="Largest expansion ratio of compressed files.", type=types.IntRange(min=1), show_default="100",
    metavar="N")
LENIENT = option("--lenient", "lenient", group="Output",
    help="Exit with status 0 even if something was skipped.", is_flag=True)

matscore = command("MATScore", options=[TASK, TASK_PATH, CONTENT_ANNOTATIONS, TOKEN_ANNOTATIONS,
    EQUIVALENCE_CLASS, IGNORE, FILE, DIR, FILE_RE, FILE_TYPE, ENCODING, ANNOTATOR, LAYER,
    XML_INPUT_IS_OVERLAY, XML_TRANSLATE_ALL, REF_FILE, REF_DIR, REF_FSUFF_OFF, REF_FSUFF_ON, REF_FILE_TYPE,
    REF_ENCODING, REF_ANNOTATOR, REF_LAYER, REF_XML_INPUT_IS_OVERLAY, REF_XML_TRANSLATE_ALL, MAX_EXPANSION,
    TAG_SPAN_DETAILS, DETAILS, CONFUSABILITY, BY_TOKEN, BY_PSEUDO_TOKEN, BY_CHARACTER,
    COMPUTE_CONFIDENCE_DATA, CSV_OUTPUT_DIR, NO_CSV_FORMULAS, OO_SEPARATOR, LENIENT])
