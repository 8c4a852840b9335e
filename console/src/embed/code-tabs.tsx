import { Tabs } from '@base-ui/react/tabs';
import { embedTexts } from '../i18n/en/embed.ts';
import { CopyableCode } from '../ui/copyable-code.tsx';
import {
  createEmbedCode,
  EMBED_TARGETS,
  type EmbedCodeInput,
  type EmbedTarget,
} from './embed-code.ts';

/** The pages of the guide. */
const GUIDES: Record<EmbedTarget, string> = {
  html: 'embed-html',
  element: 'viewer-api',
  javascript: 'viewer-api',
  react: 'embed-react',
  vue: 'viewer-api',
  svelte: 'viewer-api',
  wordpress: 'embed-wordpress',
  shopify: 'embed-shopify',
  notion: 'embed-notion',
  markdown: 'embed-markdown',
};

/** The code for each place that an embed can be pasted into. */
export function CodeTabs(input: EmbedCodeInput) {
  return (
    <Tabs.Root defaultValue={EMBED_TARGETS[0]} className="embed-code">
      <Tabs.List className="embed-tabs" aria-label={embedTexts.code.tabs}>
        {EMBED_TARGETS.map((target) => (
          <Tabs.Tab key={target} value={target} className="embed-tab">
            {embedTexts.code[target].name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {EMBED_TARGETS.map((target) => (
        <Tabs.Panel key={target} value={target}>
          <p className="hint">
            {embedTexts.code[target].hint}{' '}
            <a href={`/docs/${GUIDES[target]}`} target="_blank" rel="noopener">
              {embedTexts.code.guide}
            </a>
          </p>
          <CopyableCode
            text={createEmbedCode(target, input)}
            label={embedTexts.code.label(embedTexts.code[target].name)}
          />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
