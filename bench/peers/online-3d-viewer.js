import { Init3DViewerFromUrlList } from 'online-3d-viewer';

const element = document.getElementById('viewer');
Init3DViewerFromUrlList(element, [element.dataset.model], {
  onModelLoaded() {
    document.documentElement.dataset.state = 'ready';
  },
});
