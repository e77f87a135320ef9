const FORMAT = "margin-lab-project";
const TITLE_HEIGHT = 26;

/** The project file: the whole state, edits of any length included. */
export function saveProject(query) {
  const text = JSON.stringify({ format: FORMAT, version: 1, query }, null, 2);
  download(new Blob([text], { type: "application/json" }), "margin-lab.json");
}

/** @returns {Promise<string>} the query of a project file, or an Error that says what is wrong with it */
export async function readProject(file) {
  let project;
  try {
    project = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not a project file of Margin Lab: it is not JSON.`);
  }
  if (project?.format !== FORMAT || typeof project.query !== "string") {
    throw new Error(`${file.name} is not a project file of Margin Lab.`);
  }
  return project.query;
}

/** The views as one picture, as they stand on the screen, with titles and the sentence. */
export function savePicture(root, views, sentence) {
  const scale = Math.max(2, window.devicePixelRatio);
  const frame = views.getBoundingClientRect();
  const style = getComputedStyle(root);
  const canvas = document.createElement("canvas");
  canvas.width = frame.width * scale;
  canvas.height = (frame.height + TITLE_HEIGHT) * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = style.getPropertyValue("--ml-background");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  for (const source of views.querySelectorAll("canvas")) {
    const box = source.getBoundingClientRect();
    pen.drawImage(source, box.left - frame.left, box.top - frame.top, box.width, box.height);
  }
  pen.textBaseline = "middle";
  for (const title of views.querySelectorAll("h3, .ml-facts")) {
    const box = title.getBoundingClientRect();
    const { font, color } = getComputedStyle(title);
    pen.font = font;
    pen.fillStyle = color;
    pen.fillText(title.textContent, box.left - frame.left, box.top - frame.top + box.height / 2, box.width);
  }
  pen.font = `14px ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.fillText(sentence, 4, frame.height + TITLE_HEIGHT / 2, frame.width - 8);
  canvas.toBlob((blob) => download(blob, "margin-lab.png"));
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
