import type { Design } from '@cloche/contract/design';
import { renderError } from './api-error.ts';
import { formatBytes } from './format.ts';
import { h, visuallyHidden } from './ui/dom.ts';

/** The progress of one file: first its upload, then the processing of its design. */
export type UploadRow = {
  root: HTMLElement;
  setSentBytes(bytes: number): void;
  setDesign(design: Design): void;
  setDone(): void;
  setError(error: unknown): void;
};

/** Screen readers announce the progress in steps of this many percent. */
const ANNOUNCED_STEP = 25;

/** Creates the row of a file. `onCancel` is called when its button is pressed. */
export function createUploadRow(file: File, onCancel: () => void): UploadRow {
  const upload = createBar('Upload');
  const processing = createBar('Processing');
  const cancel = h(
    'button',
    { type: 'button', class: 'link', onclick: onCancel },
    'Cancel',
    visuallyHidden(` the upload of ${file.name}`),
  );
  const announcement = visuallyHidden('', { role: 'status' });
  const message = h('div', { role: 'alert' });
  const head = h(
    'p',
    { class: 'upload-name' },
    h('b', {}, file.name),
    ` ${formatBytes(file.size)}`,
  );
  const bars = h('div', { class: 'bars' }, upload.root, processing.root);
  const root = h('li', { class: 'upload' }, head, cancel, bars, announcement, message);

  let announced = '';
  const announce = (name: string, percent: number) => {
    const step = Math.floor(percent / ANNOUNCED_STEP) * ANNOUNCED_STEP;
    const text = `${file.name}: ${name} ${step} %`;
    if (text !== announced) announcement.textContent = text;
    announced = text;
  };
  return {
    root,
    setSentBytes(bytes) {
      const percent = file.size === 0 ? 100 : Math.floor((100 * bytes) / file.size);
      upload.set(percent, `${percent} %`);
      announce('upload', percent);
    },
    setDesign({ status, progress }) {
      upload.set(100, 'done');
      cancel.remove();
      if (status === 'queued') processing.set(0, 'waiting');
      if (progress === null) return;
      processing.set(progress.percent, `${progress.step}, ${progress.percent} %`);
      announce('processing', progress.percent);
    },
    setDone() {
      processing.set(100, 'done');
      announcement.textContent = `${file.name}: ready`;
    },
    setError(error) {
      cancel.remove();
      bars.remove();
      root.classList.add('failed');
      message.replaceChildren(renderError(error));
    },
  };
}

function createBar(label: string) {
  const progress = h('progress', { max: 100, value: 0, 'aria-label': label });
  const text = h('span', { class: 'hint' }, '');
  const root = h('div', { class: 'bar' }, h('span', {}, label), progress, text);
  return {
    root,
    set(percent: number, status: string) {
      progress.value = percent;
      text.textContent = status;
    },
  };
}
