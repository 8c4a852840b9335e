// The file that the documentation of model-viewer recommends; it includes three.js.
import '@google/model-viewer/dist/model-viewer.min.js';

const { dataset } = document.documentElement;
// The others are out of view, where model-viewer does not load.
const inView = [...document.querySelectorAll('model-viewer')].slice(0, Number(dataset.inView ?? 1));
let missing = inView.length;
for (const viewer of inView)
  viewer.addEventListener('load', () => {
    missing--;
    if (missing === 0) dataset.state = 'ready';
  });
