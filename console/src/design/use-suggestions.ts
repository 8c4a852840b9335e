import { useEffect, useState } from 'react';
import type { ViewerHandle } from '../../../sdk/src/viewer-handle.ts';

type Suggestions = { variantName?: string[]; animationName?: string[] };

/** The names of the variants and animations of the model that a viewer shows. */
export function useSuggestions(viewer: ViewerHandle | undefined): Suggestions {
  const [suggestions, setSuggestions] = useState<Suggestions>({});
  useEffect(() => {
    if (viewer === undefined) return;
    const read = async () => {
      const [variantName, animations] = await Promise.all([
        viewer.getVariants(),
        viewer.getAnimations(),
      ]);
      setSuggestions({ variantName, animationName: animations.map(({ name }) => name) });
    };
    // A model that does not load has no names; the view says why.
    const tryToRead = () => void read().catch(() => undefined);
    tryToRead();
    return viewer.on('load', tryToRead);
  }, [viewer]);
  return suggestions;
}
