// @ts-expect-error: serving/web/modules.py serves it
export { scrubber as default } from "../../../modules/margin-lab.js";
