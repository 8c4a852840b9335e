import { type DetectedFormat, FORMATS, MODEL_MEDIA_TYPES } from '@cloche/pipeline/formats/registry';

const ZIP = 'application/zip';

/** The media types of source files, in uploads and downloads. */
export const SOURCE_MEDIA_TYPES = [
  ...new Set([...MODEL_MEDIA_TYPES, 'application/octet-stream', ZIP]),
];

/** Returns the file extension and the media type of a source file. */
export function toSourceFileType({ format, modelPath }: DetectedFormat): {
  extension: string;
  mediaType: string;
} {
  if (modelPath !== undefined) return { extension: 'zip', mediaType: ZIP };
  const { extensions, mediaType } = FORMATS[format];
  return { extension: extensions[0], mediaType };
}
