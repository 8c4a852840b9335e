/**
 * Removes `new Function` from the Basis transcoder, because the Content-Security-Policy of the framed
 * document forbids it, also in workers. The JavaScript that Emscripten adds to the WebAssembly generates
 * the source of one function for each signature. Closures replace these functions.
 */

/** The calls to replace, exactly as they are written in the transcoder. */
const INVOKER_FACTORY_CALL = 'newFunc(Function,args)(...closureArgs)';
const EMVAL_CALLER_CALL = 'newFunc(Function,params)(...args)';

/** Replaces the first call: converts JavaScript arguments, calls WebAssembly, converts the result. */
const INVOKER_FACTORY_SOURCE = `
function createInvoker(argTypes, isMethod, returns, invoker, fn, humanName) {
  const [retType, selfType, ...types] = argTypes;
  const usesStack = usesDestructorStack(argTypes);
  return function (...args) {
    if (args.length !== types.length) {
      throwBindingError('function ' + humanName + ' called with ' + args.length + ' arguments, expected ' + types.length);
    }
    const destructors = usesStack ? [] : null;
    const wireArgs = types.map((type, index) => type.toWireType(destructors, args[index]));
    if (isMethod) wireArgs.unshift(selfType.toWireType(destructors, this));
    const result = invoker(fn, ...wireArgs);
    if (usesStack) runDestructors(destructors);
    else types.forEach((type, index) => type.destructorFunction?.(wireArgs[isMethod ? index + 1 : index]));
    return returns ? retType.fromWireType(result) : undefined;
  };
}
`;

/** Replaces the second call: reads arguments from WebAssembly memory and calls JavaScript. */
const EMVAL_CALLER_SOURCE = `
function callEmval(kind, retType, types) {
  return function (obj, func, destructorsRef, argsPointer) {
    let pointer = argsPointer;
    const args = types.map((type) => {
      const value = type.readValueFromPointer(pointer);
      pointer += type.argPackAdvance;
      return value;
    });
    const result = kind === 1 ? new func(...args) : func.call(obj, ...args);
    return retType.isVoid ? undefined : emval_returnValue(retType, destructorsRef, result);
  };
}
`;

/**
 * Returns the script of the transcoder without `new Function`.
 *
 * @throws {Error} if the transcoder does not contain the expected calls
 */
export function replaceFunctionConstructors(source: string): string {
  const result = source
    .replace(
      INVOKER_FACTORY_CALL,
      'createInvoker(argTypes,isClassMethodFunc,returns,cppInvokerFunc,cppTargetFunc,humanName)',
    )
    .replace(EMVAL_CALLER_CALL, 'callEmval(kind,retType,types)')
    .replace(
      'function usesDestructorStack',
      () => `${INVOKER_FACTORY_SOURCE}${EMVAL_CALLER_SOURCE}function usesDestructorStack`,
    );
  if (result.includes('(Function,') || !result.includes(INVOKER_FACTORY_SOURCE)) {
    throw new Error('The Basis transcoder of three.js has changed: update basis-transcoder.ts.');
  }
  return result;
}
