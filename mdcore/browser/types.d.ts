/** Types that every module sees. Those of a message are declared in Python, in header.py: `make lint` makes them. */

type Split = "train" | "test";
type Scene = Picture & OnlineScene & MulticlassScene & LectureScene & { arrays: SceneArrays };
type RaceScene = Scene & Required<OnlineScene>;
type ClassScene = Scene & Required<MulticlassScene>;
type Message = Scene & StageScene & Heading;

type Point = { x: number; y: number };
type Pen = CanvasRenderingContext2D;
type Theme = import("./shell/theme.js").Theme;
type Surface = import("./canvas/surface.js").Surface;
type Type = import("./canvas/surface.js").Type;
type Frame = import("./canvas/axes.js").Frame;

/** Settings to change; null removes one. */
type Patch = { [key: string]: string | number | null };
type Picked = { rows: Set<number>; hover: number | null };

/** The stage as its views see it. */
type ViewStage = {
  /** Set before anything is drawn or touched. */
  scene: Scene;
  theme: Theme;
  projector: boolean;
  /** Canvas pixels per CSS pixel, for printing. */
  sharpness?: number;
  tool: string;
  selection: Picked;
  select: (rows: Iterable<number>) => void;
  hover: (row: number | null) => void;
  /** A number for a numeric control, else text; null if unset. */
  value: (key: string) => any;
  change: (patch: Patch, options?: { commit?: boolean }) => void;
  announce: (text: string) => void;
  abandon: () => void;
  touch: (name: string) => void;
};

/** The stage as its controls see it. */
type Stage = ViewStage & {
  scene: Message;
  query: string;
  map: Map<string, string>;
  setTool: (tool: string) => void;
  complain: (message: string) => void;
  remark: (message: string) => void;
  /** Fits the axes to the picture on screen. */
  fit: () => void;
};

/** The functions by which a component sends to Streamlit. */
type Setters = {
  setStateValue: (name: string, value: unknown) => void;
  setTriggerValue: (name: string, value: unknown) => void;
};
