// @ts-expect-error: serving/web/modules.py serves it
export { sliders as default } from "../../../modules/margin-lab.js";
