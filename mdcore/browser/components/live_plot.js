// @ts-expect-error: serving/web/modules.py serves it
export { live_plot as default } from "../../../modules/margin-lab.js";
