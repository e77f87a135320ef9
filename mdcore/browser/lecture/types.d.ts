/** Types of a lesson as Python sends it, of its questions, and of a room. */

type Lesson = { title: string; steps: Step[]; error?: string };

type Step = {
  title: string;
  text: string[];
  /** As MathML. */
  formula?: string;
  state: string;
  /** `try`: what to try with the picture. */
  reveal: { state: string; text: string[]; try: string[] };
  question?: Question;
  views: string[];
  keep: string[];
  page?: string;
  papers?: Papers;
};

/** What the stage shows of a step. */
type ShownStep = { views: string[]; keep: string[]; editing: boolean; papers?: Papers };

type PaperCell = { ours: string | null; splits: string; printed: string | null; within: boolean | null };
type PaperTable = { name: string; what: string; methods: string[]; higher: string };
type TextFile = import("../shell/menus.js").TextFile;

/** Our results beside the published ones. */
type Papers = {
  head: string;
  marks: string;
  tables: PaperTable[];
  rows: { name: string; cells: (PaperCell | null)[] }[];
  met: { title: string; source: string; met: number; of: number }[];
  files: TextFile[];
};

/** What a room tells everyone; `answer` and `truth` are what is right, once the answer is shown. */
type RoomState = {
  ended?: boolean;
  shelf: string | null;
  step: number;
  steps: number;
  phase: string;
  title: string;
  round: number;
  votes: number;
  closed: boolean;
  question?: Question;
  answer?: any;
  truth?: any;
  results?: any[];
  runs?: AnswerRun[];
};

/** A question; the other keys are those of its kind. */
type Question = { kind: string; text: string };

/** Where a question is asked; a file is a saved lecture. */
type Asking = { where: "phone" | "page" | "file"; give: (answer: any) => void };

type ShownMethod = { key: string; name: string; color: string };
/** What was computed for one answer. */
type AnswerRun = { value: number; of: { [method: string]: number } };

/** All that is known about a question at a moment. */
type Told = {
  /** The reader's own; undefined if there is none. */
  answer: any;
  /** Whether the truth is shown. */
  closed: boolean;
  truth: any;
  /** The combined answers of each vote, as far as they are shown. */
  rounds: any[];
  runs: AnswerRun[];
  methods: ShownMethod[];
};

/** A question on the screen. */
type Asked = {
  element: HTMLElement;
  /** Draws what is known; returns a verdict on the reader's answer, or "". */
  show: (told: Told) => string;
  /** The tool of the stage with which the answer is given in the picture itself. */
  tool?: string;
  destroy?: () => void;
};

type Named = { name: string; label: string };
/** What the form of a question needs: the methods of the reveal, their numeric parameters, the schema of the kind's keys. */
type Known = { methods: Named[]; params: Named[]; schema: any };

/** A kind of question, as Kind in questions/kind.py. */
type Kind = {
  /** What the audience is to do. */
  title: string;
  ask: (question: any, asking: Asking) => Asked;
  /** What is right, as far as the page knows it that shows the reveal. */
  truth?: (question: any, scene: Scene) => any;
  /** The state of the reveal, with the answers. */
  revealed?: (question: any, query: string, rounds: any[]) => string;
  /** The keys of a new question. */
  fresh: (known: Known) => object;
  isComplete?: (question: any) => boolean;
  /** The form for the lesson maker; `again` builds it anew. */
  form: (question: any, known: Known, changed: () => void, again: () => void) => Node[];
};
