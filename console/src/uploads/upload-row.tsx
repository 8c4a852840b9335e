import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { ApiError } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { describeProgress } from './describe-progress.ts';
import { isFinished, isRejection, isSending, type UploadItem } from './upload-item.ts';
import type { UploadQueue } from './upload-queue.ts';

const MAX_LISTED_MESSAGES = 3;

/** One upload: its progress, what went wrong, and what can be done. */
export const UploadRow = memo(function UploadRow({
  item,
  queue,
}: {
  item: UploadItem;
  queue: UploadQueue;
}) {
  const { name, designId, state, error, missingFiles } = item;
  const percent =
    state === 'processing'
      ? item.progress?.percent
      : Math.floor((item.sentBytes * 100) / Math.max(1, item.sizeBytes));
  return (
    <li className="upload-row">
      <p className="upload-name" title={name}>
        {designId === undefined ? (
          <bdi>{name}</bdi>
        ) : (
          <Link to="/designs/$designId" params={{ designId }}>
            <bdi>{name}</bdi>
          </Link>
        )}
      </p>
      {!isFinished(item) && (
        <progress value={percent} max={100} aria-label={texts.uploads.progressOf(name)} />
      )}
      <div className="upload-details">
        <span className="upload-progress">{describeProgress(item)}</span>
        <UploadActions item={item} queue={queue} />
      </div>
      {state === 'failed' && <UploadError error={error} name={name} />}
      {missingFiles.length > 0 && <MissingFiles messages={missingFiles} />}
    </li>
  );
});

function UploadActions({ item, queue }: { item: UploadItem; queue: UploadQueue }) {
  const { id, name, state, designId } = item;
  const { pause, pauseItem, resume, resumeItem, retry, retryItem, cancel, cancelItem } =
    texts.uploads;
  const mayRetry = state === 'failed' && designId === undefined && !isRejection(item.error);
  return (
    <span className="upload-actions">
      {isSending(item) && state !== 'preparing' && (
        <Button variant="link" aria-label={pauseItem(name)} onClick={() => queue.pause(id)}>
          {pause}
        </Button>
      )}
      {state === 'paused' && (
        <Button variant="link" aria-label={resumeItem(name)} onClick={() => queue.resume(id)}>
          {resume}
        </Button>
      )}
      {mayRetry && (
        <Button variant="link" aria-label={retryItem(name)} onClick={() => queue.resume(id)}>
          {retry}
        </Button>
      )}
      {(isSending(item) || state === 'paused' || state === 'waiting') && (
        <Button variant="link" aria-label={cancelItem(name)} onClick={() => queue.cancel(id)}>
          {cancel}
        </Button>
      )}
    </span>
  );
}

/** Why the file was not accepted, in the words of the service, and what to do about it. */
function UploadError({ error, name }: { error: unknown; name: string }) {
  const { code, reason } = (error instanceof ApiError && error.problem) || {};
  const { advice: advices, emptyAdvice, zipAdvice } = texts.uploads;
  let advice = advices[code ?? ''];
  if (code === 'design.unreadable' && reason === 'empty') advice = emptyAdvice;
  else if (code === 'design.unreadable' && /\.zip$/i.test(name)) advice = zipAdvice;
  return (
    <>
      <ErrorMessage error={error} />
      {advice && <p className="hint">{advice}</p>}
    </>
  );
}

/** The files that a model refers to, and that were not uploaded with it. The model is shown without them. */
function MissingFiles({ messages }: { messages: readonly string[] }) {
  const rest = messages.length - MAX_LISTED_MESSAGES;
  return (
    <div className="upload-missing">
      {messages.slice(0, MAX_LISTED_MESSAGES).map((message) => (
        <p key={message}>
          <bdi>{message}</bdi>
        </p>
      ))}
      {rest > 0 && <p>{texts.uploads.moreMissing(rest)}</p>}
      <p className="hint">{texts.uploads.missingAdvice}</p>
    </div>
  );
}
