import type { Design } from '@cloche/contract/design';
import { createContext, useContext, useState } from 'react';
import { texts } from '../i18n/en.ts';

/** Whether the posters of new cards wait, because the list is scrolled too fast to see them. */
export const PostersWaitContext = createContext(false);

/** The poster, or the place of it. The link to the design is its name. */
export function DesignPoster({ design: { poster, status } }: { design: Design }) {
  const waits = useContext(PostersWaitContext);
  const [isWanted, setWanted] = useState(!waits);
  // What is shown once stays.
  if (!waits && !isWanted) setWanted(true);
  const [failedUrl, setFailedUrl] = useState<string>();
  if (poster === null || poster.smallUrl === failedUrl)
    return (
      <div className="card-poster" aria-hidden="true">
        {status === 'ready' ? texts.designs.noPreview : texts.designs.states[status]}
      </div>
    );
  return (
    <div className="card-poster">
      {isWanted && (
        <img
          src={poster.smallUrl}
          width={poster.width}
          height={poster.height}
          alt=""
          decoding="async"
          onError={() => setFailedUrl(poster.smallUrl)}
        />
      )}
    </div>
  );
}
