import { useRef } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { listChosenFiles } from './read-dropped-files.ts';
import { useAddFiles } from './use-add-files.ts';

/** The buttons to choose files and a folder. */
export function UploadButtons() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => folder.current?.click()}>{texts.uploads.chooseFolder}</Button>
      <Button variant="primary" onClick={() => files.current?.click()}>
        {texts.uploads.chooseFiles}
      </Button>
      <FileInput input={files} label={texts.uploads.chooseFiles} />
      <FileInput input={folder} label={texts.uploads.chooseFolder} isFolder />
    </>
  );
}

type FileInputProps = {
  input: React.RefObject<HTMLInputElement | null>;
  label: string;
  isFolder?: boolean;
};

/** The buttons open it. */
function FileInput({ input, label, isFolder = false }: FileInputProps) {
  const addFiles = useAddFiles();
  return (
    <input
      ref={input}
      type="file"
      hidden
      multiple
      webkitdirectory={isFolder ? '' : undefined}
      aria-label={label}
      onChange={({ target }) => {
        if (target.files !== null) addFiles(listChosenFiles(target.files));
        // The same files can be chosen again.
        target.value = '';
      }}
    />
  );
}

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** Chooses a folder with all files in it. */
    webkitdirectory?: T extends HTMLInputElement ? '' | undefined : never;
  }
}
