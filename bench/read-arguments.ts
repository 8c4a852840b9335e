/** Parses the arguments of this process. With `--help`, or if one is wrong, prints the usage and ends the process. */
export function readArguments<Options>(
  usage: string,
  parse: (args: readonly string[]) => Options,
): Options {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parse(args);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
