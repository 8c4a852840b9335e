const count = (number: number, noun: string) =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

export const uploads = {
  chooseFiles: 'Upload files',
  chooseFolder: 'Upload a folder',
  drop: 'Drop files or folders to upload them',
  dropHint:
    'Each model becomes a design. A glTF or OBJ is sent together with the files that it refers to.',
  title: 'Uploads',
  summary: (finished: number, total: number) =>
    `${finished.toLocaleString('en')} of ${count(total, 'upload')} finished`,
  summaryFailed: (number: number) => `${number.toLocaleString('en')} failed`,
  show: 'Show uploads',
  hide: 'Hide uploads',
  clearFinished: 'Clear finished',
  states: {
    waiting: 'Waiting',
    disconnected: 'Connection lost, it continues by itself',
    preparing: 'Packing',
    uploading: 'Uploading',
    paused: 'Paused',
    processing: 'Processing',
    ready: 'Ready',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  bytes: (sent: string, total: string, percent: number) => `${sent} of ${total} (${percent} %)`,
  remaining: (time: string) => `${time} left`,
  seconds: (number: number) => `${number} s`,
  minutes: (number: number) => `${number} min`,
  hours: (number: number) => `${number} h`,
  continued: (bytes: string) => `continued after ${bytes}`,
  processing: (percent: number, step: string) => `${percent} %, ${step}`,
  files: (number: number) => `${count(number, 'file')} in one zip`,
  pause: 'Pause',
  pauseItem: (name: string) => `Pause ${name}`,
  resume: 'Continue',
  resumeItem: (name: string) => `Continue ${name}`,
  cancel: 'Cancel',
  cancelItem: (name: string) => `Cancel ${name}`,
  retry: 'Try again',
  retryItem: (name: string) => `Try ${name} again`,
  progressOf: (name: string) => `Progress of ${name}`,
  ignored: (number: number, names: string) =>
    `${count(number, 'file')} ${number === 1 ? 'is not a model and was' : 'are not models and were'} left out: ${names}`,
  more: (number: number) => ` and ${number.toLocaleString('en')} more`,
  nothing: 'There is no model among these files.',
  unreadableFiles: (reason: string) => `The browser could not read these files: ${reason}`,
  interrupted: (number: number) =>
    number === 1
      ? '1 upload was interrupted: choose the same file again to continue.'
      : `${number.toLocaleString('en')} uploads were interrupted: choose the same files again to continue.`,
  newRevision: 'as a new file of this design',
  fromFolder: (path: string) => `from ${path}`,
  forget: 'Forget',
  incomplete: 'Ready, but files are missing',
  moreMissing: (number: number) =>
    `${count(number, 'other file')} ${number === 1 ? 'is' : 'are'} also missing.`,
  missingAdvice:
    'The model is shown without them. Drop the model and these files together, or their folder, to upload it again.',
  emptyAdvice: 'Check that the file was exported and copied completely, then upload it again.',
  zipAdvice:
    'Pack the model and its files again, without a password and without links, or drop the files themselves.',
  advice: {
    'design.unsupported': 'Export the model as GLB, which every 3D program can write.',
    'design.unreadable':
      'Open the file in the program that made it, and export it again. If the model has several files, drop all of them together, or their folder.',
    'design.too-large': 'Reduce the size of the textures, or leave out what is not visible.',
    'design.too-complex':
      'Reduce the number of triangles or parts in the program that made the file.',
    'design.failed': 'Export the model as GLB, and upload that file.',
    'upload.quota': 'Delete designs that you no longer need, or ask the operator for more.',
    'server.busy': 'Try again in a few minutes.',
    'server.storage-full': 'Ask the operator of this service to make room.',
    'token.design': 'Sign in with a token that is not limited to some designs.',
  } as Readonly<Record<string, string>>,
};
