/** The owner's page: sign in, upload a file, and get its HTML. */
import type { Design } from '@cloche/contract/design';
import type { ApiClient } from './api-client.ts';
import { ApiError } from './api-error.ts';
import { showDesignList } from './design-list.ts';
import { hideDesign, showDesign } from './design-view.ts';
import { enableDropZone } from './drop-zone.ts';
import { createSignOutButton, showSignIn } from './sign-in.ts';
import { getElement } from './ui/dom.ts';
import { uploadFile } from './upload-file.ts';
import { createUploadRow } from './upload-row.ts';
import { watchDesign } from './watch-design.ts';

let client: ApiClient | undefined;

enableDropZone((files) => {
  if (client !== undefined) void uploadFiles(client, files);
});
showSignIn(start);

function start(newClient: ApiClient): void {
  client = newClient;
  newClient.onSessionEnd = (error) => stop(error);
  getElement('workspace').hidden = false;
  getElement('session').replaceChildren(createSignOutButton(() => stop()));
  const mayUpload = newClient.capabilities.includes('write');
  getElement('upload').hidden = !mayUpload;
  getElement('read-only').hidden = mayUpload;
  void showDesignList(newClient, selectDesign);
  (mayUpload ? getElement('file') : getElement('workspace')).focus();
}

/** Ends the session. Everything that it has shown is removed from the page. */
function stop(error?: Error): void {
  client?.signOut();
  client = undefined;
  hideDesign();
  for (const id of ['uploads', 'design-list', 'session']) getElement(id).replaceChildren();
  getElement('workspace').hidden = true;
  showSignIn(start, error);
  getElement('token').focus();
}

function selectDesign(design: Design): void {
  if (client !== undefined) showDesign(client, design);
}

/** Uploads files one after the other. */
async function uploadFiles(owner: ApiClient, files: File[]): Promise<void> {
  const rows = files.map((file) => {
    const abort = new AbortController();
    const row = createUploadRow(file, () => abort.abort());
    getElement('uploads').prepend(row.root);
    return { file, row, signal: abort.signal };
  });
  for (const { file, row, signal } of rows) {
    if (client !== owner) return;
    try {
      if (signal.aborted) continue;
      const onProgress = (bytes: number) => row.setSentBytes(bytes);
      const id = await uploadFile(owner, file, { onProgress, signal });
      const design = await watchDesign(owner, id, (state) => row.setDesign(state), signal);
      if (client !== owner) return;
      if (design.problem !== null) row.setError(new ApiError(design.problem.detail));
      else row.setDone();
      showDesign(owner, design);
      void showDesignList(owner, selectDesign);
    } catch (error) {
      if (signal.aborted) row.root.remove();
      else row.setError(error);
    }
  }
}
