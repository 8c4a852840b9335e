import { useRef, useState } from 'react';
import { texts } from '../i18n/en.ts';
import { Button } from './button.tsx';

const FEEDBACK_MS = 2000;

/** A block of code with a button that copies it. `label` is for screen readers. */
export function CopyableCode({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLElement>(null);
  const [feedback, setFeedback] = useState<string>();
  const copy = async () => {
    let result = texts.common.copied;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages over plain http may not write to the clipboard, but they may copy what is selected.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      if (!document.execCommand('copy')) result = texts.common.selected;
    }
    setFeedback(result);
    setTimeout(() => setFeedback(undefined), FEEDBACK_MS);
  };
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code scrolls with the keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code ref={code}>{text}</code>
      </pre>
      <Button className="copy" onClick={() => void copy()}>
        {texts.common.copy}
      </Button>
      <span className="copy-feedback" role="status">
        {feedback}
      </span>
    </div>
  );
}
