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
  return modelPath === undefined ? FORMATS[format] : { extension: 'zip', mediaType: ZIP };
}
