import type { Design } from '@cloche/contract/design';
import { normalizeOptions } from '@cloche/contract/parse-option';
import {
  toParameterName,
  type ViewerOptionName,
  type ViewerOptions,
} from '@cloche/contract/viewer-options';
import { embedTexts } from '../i18n/en/embed.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { useLiveViewLink } from './use-embed.ts';

type LiveViewProps = {
  design: Pick<Design, 'id' | 'name' | 'revision'>;
  options: ViewerOptions;
  /** Width over height, as in the code. */
  aspectRatio: string;
};

/** The code below a tall view is still on the first screen. */
const MAX_HEIGHT = '45vh';

/** The embed itself, with options, on a page of the service. */
export function LiveView({ design, options, aspectRatio }: LiveViewProps) {
  const { data: link, error, refetch } = useLiveViewLink(design.id, design.revision);
  const parameters = new URLSearchParams(
    Object.entries(normalizeOptions(options)).map(([name, value]) => [
      toParameterName(name as ViewerOptionName),
      String(value),
    ]),
  );
  if (design.revision === null) return <p role="status">{embedTexts.design.notReady}</p>;
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  const src = link && `${link.src}${parameters.size > 0 ? `&${parameters}` : ''}`;
  return (
    <div
      className="embed-frame"
      style={{ aspectRatio, maxWidth: `calc(${MAX_HEIGHT} * ${aspectRatio})` }}
    >
      {src !== undefined && (
        <iframe
          key={src}
          src={src}
          title={embedTexts.view.frameTitle(design.name)}
          allow="fullscreen; xr-spatial-tracking"
        />
      )}
    </div>
  );
}
