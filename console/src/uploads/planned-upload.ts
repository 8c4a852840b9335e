/** A file that was chosen or dropped, with its path in the folder. */
export type ChosenFile = { path: string; file: File };

/** A future design: a file, or a model with the files it refers to, which are sent as one zip. */
export type PlannedUpload = {
  name: string;
  files: readonly [ChosenFile, ...ChosenFile[]];
  /** The design that gets the file as its new revision. Undefined: the file becomes a design. */
  designId?: string;
};

export type UploadPlan = {
  uploads: PlannedUpload[];
  /** The paths of files that are no models, and that no model refers to. */
  ignored: string[];
};
