import { Link } from '@tanstack/react-router';
import { texts } from '../i18n/en.ts';
import { Button } from '../ui/button.tsx';
import { forgetUploads, type InterruptedUpload } from './interrupted-uploads.ts';
import { useUploadQueue } from './upload-provider.tsx';

const MAX_LISTED = 5;

/** Says which uploads were interrupted, for example when the page was reloaded: a page can read a file only after it was chosen. */
export function InterruptedNotice({ uploads }: { uploads: readonly InterruptedUpload[] }) {
  const queue = useUploadQueue();
  const forget = () => {
    forgetUploads(uploads);
    queue.findInterrupted();
  };
  const rest = uploads.length - MAX_LISTED;
  return (
    <div className="upload-interrupted">
      <p role="status">{texts.uploads.interrupted(uploads.length)}</p>
      <ul>
        {uploads.slice(0, MAX_LISTED).map(({ key, name, source, designId }) => (
          <li key={key}>
            <bdi>{name}</bdi> {source !== undefined && texts.uploads.fromFolder(source)}{' '}
            {designId !== undefined && (
              <Link to="/designs/$designId" params={{ designId }}>
                {texts.uploads.newRevision}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && <p>{texts.uploads.more(rest)}</p>}
      <Button onClick={forget}>{texts.uploads.forget}</Button>
    </div>
  );
}
