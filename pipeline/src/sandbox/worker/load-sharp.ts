/** The part of sharp's addon that can unblock the operations of libvips. */
type SharpAddon = { block(operations: string[], isBlocked: boolean): void };

/** All operations of libvips that read or write files. Those below are their exceptions. */
const BLOCKED_OPERATIONS = ['VipsForeignLoad', 'VipsForeignSave', 'VipsText'];
/** Decoders and encoders that use memory only, for the image formats that this pipeline supports. */
const ALLOWED_OPERATIONS = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifBuffer',
  'VipsForeignLoadTiffBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignSavePngBuffer',
  'VipsForeignSaveJpegBuffer',
  'VipsForeignSaveWebpBuffer',
];

/**
 * Loads sharp and blocks all of its access to files, for good.
 *
 * Its addon can read and write every file that the user of the service may: `toFile()` would
 * overwrite the database.
 */
export async function loadSharp(): Promise<void> {
  const { dlopen } = process;
  const addons: Partial<SharpAddon>[] = [];
  process.dlopen = (module: object, ...args: unknown[]) => {
    Reflect.apply(dlopen, process, [module, ...args]);
    addons.push((module as { exports: SharpAddon }).exports);
  };
  const { default: sharp } = await import('sharp');
  process.dlopen = dlopen;
  sharp.block({ operation: BLOCKED_OPERATIONS });
  sharp.unblock({ operation: ALLOWED_OPERATIONS });
  for (const addon of addons) addon.block = refuseToBlock;
}

function refuseToBlock(): never {
  throw new Error('The operations of libvips cannot be unblocked.');
}
