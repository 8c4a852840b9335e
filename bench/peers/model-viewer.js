// The file that the documentation of model-viewer recommends; it includes three.js.
import '@google/model-viewer/dist/model-viewer.min.js';

document.querySelector('model-viewer').addEventListener('load', () => {
  document.documentElement.dataset.state = 'ready';
});
