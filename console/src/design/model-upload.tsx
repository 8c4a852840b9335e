import { useId } from 'react';
import { texts } from '../i18n/en.ts';
import { useUploadQueue } from '../uploads/upload-provider.tsx';

/**
 * Uploads a new file for a design, with the uploads of all pages: it can be paused, cancelled and continued. Embeds show the
 * current file until the new one is ready.
 */
export function ModelUpload({ designId }: { designId: string }) {
  const id = useId();
  const queue = useUploadQueue();
  return (
    <div className="field">
      <label htmlFor={id}>{texts.design.newFile}</label>
      <input
        id={id}
        type="file"
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) queue.add([{ name: file.name, files: [{ path: file.name, file }], designId }]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
      <p className="hint" id={`${id}-hint`}>
        {texts.design.newFileHint}
      </p>
    </div>
  );
}
