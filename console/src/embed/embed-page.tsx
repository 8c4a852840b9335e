import { getRouteApi } from '@tanstack/react-router';
import { embedTexts } from '../i18n/en/embed.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { DesignPicker } from './design-picker.tsx';
import { EmbedBuilder } from './embed-builder.tsx';
import './embed.css';

const route = getRouteApi('/embed');

/** The embed builder: from a design to the code to paste. */
export function EmbedPage() {
  const { design } = route.useSearch();
  return (
    <>
      <PageHeader title={embedTexts.title} lead={embedTexts.lead} />
      {design === undefined ? <DesignPicker /> : <EmbedBuilder key={design} designId={design} />}
    </>
  );
}
