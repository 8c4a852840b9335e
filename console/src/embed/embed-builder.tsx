import type { Design } from '@cloche/contract/design';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { useState } from 'react';
import { embedTexts } from '../i18n/en/embed.ts';
import { OriginsField, useCheckedOrigins } from '../origins/origins-field.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Loading } from '../ui/loading.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { OptionControls } from '../viewer-options/option-controls.tsx';
import { type ChosenToken, isPublicTokenText } from './chosen-token.ts';
import { CodeTabs } from './code-tabs.tsx';
import { DesignSummary } from './design-picker.tsx';
import { EmbedCheck } from './embed-check.tsx';
import { LiveView } from './live-view.tsx';
import { parseIframeAttributes } from './parse-iframe-attributes.ts';
import { TokenChoice } from './token-choice.tsx';
import { useEmbeddedDesign, useSnippet } from './use-embed.ts';

/** The embed loads again after a change, so a slider does not load it for each value. */
const OPTIONS_DELAY_MS = 400;

/** Builds the code that embeds a design, with the embed beside it. */
export function EmbedBuilder({ designId }: { designId: string }) {
  const { data: design, error, refetch } = useEmbeddedDesign(designId);
  if (error) return <ErrorMessage error={error} onRetry={refetch} />;
  return design ? <LoadedBuilder design={design} /> : <Loading />;
}

function LoadedBuilder({ design }: { design: Design }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ChosenToken>();
  const [options, setOptions] = useState<ViewerOptions>({});
  const shownOptions = useDebounced(options, OPTIONS_DELAY_MS);
  const checked = useCheckedOrigins(text);
  const [pageUrl = ''] = checked.origins;
  const tokenText = chosen?.text ?? '';
  return (
    <div className="embed-builder">
      <div className="stack">
        <section className="card" aria-labelledby="embed-design">
          <h2 id="embed-design">{embedTexts.design.heading}</h2>
          <DesignSummary design={design} />
          <ButtonLink to="/embed" search={{}}>
            {embedTexts.design.change}
          </ButtonLink>
        </section>
        <section className="card" aria-labelledby="embed-pages">
          <h2 id="embed-pages">{embedTexts.pages.heading}</h2>
          <OriginsField
            label={embedTexts.pages.label}
            hint={embedTexts.pages.hint}
            text={text}
            onChange={setText}
            checked={checked}
          />
        </section>
        <section className="card" aria-labelledby="embed-token">
          <h2 id="embed-token">{embedTexts.token.heading}</h2>
          <TokenChoice
            designId={design.id}
            origins={checked.origins}
            hasMistakes={checked.mistakes.length > 0}
            chosen={chosen}
            onChoose={setChosen}
          />
        </section>
        <EmbedCheck designId={design.id} token={chosen} pageUrl={pageUrl} />
      </div>
      <div className="stack embed-side">
        <ViewAndCode
          design={design}
          options={shownOptions}
          tokenString={isPublicTokenText(tokenText) ? tokenText : undefined}
          pageUrl={pageUrl}
        />
      </div>
      <section className="card" aria-labelledby="embed-options">
        <h2 id="embed-options">{embedTexts.options.heading}</h2>
        <OptionControls values={options} onChange={setOptions} defaults={design.viewer} />
      </section>
    </div>
  );
}

type ViewAndCodeProps = {
  design: Design;
  options: ViewerOptions;
  tokenString: string | undefined;
  pageUrl: string;
};

function ViewAndCode({ design, options, tokenString, pageUrl }: ViewAndCodeProps) {
  const { data: snippet, error, refetch } = useSnippet(design.uri, options);
  const style = parseIframeAttributes(snippet?.html ?? '').style ?? '';
  return (
    <>
      <section className="card" aria-labelledby="embed-view">
        <h2 id="embed-view">{embedTexts.view.heading}</h2>
        <LiveView
          design={design}
          options={options}
          aspectRatio={/aspect-ratio:([\d.]+)/.exec(style)?.[1] ?? '4/3'}
        />
        <p className="hint">{embedTexts.view.hint}</p>
      </section>
      <section className="card" aria-labelledby="embed-code">
        <h2 id="embed-code">{embedTexts.code.heading}</h2>
        {error && <ErrorMessage error={error} onRetry={refetch} />}
        {snippet ? (
          <CodeTabs
            snippet={snippet}
            tokenString={tokenString}
            options={options}
            designId={design.id}
            designName={design.name}
            service={new URL(snippet.src).origin}
            pageUrl={pageUrl || 'https://shop.example/'}
          />
        ) : (
          <Loading />
        )}
      </section>
    </>
  );
}
