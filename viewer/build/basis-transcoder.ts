/**
 * Frees the Basis transcoder from `new Function`, which the framed document's policy forbids (and
 * its workers' with it). The glue that Emscripten made writes out the text of a function for each
 * signature; here the same is done by closures.
 */

/** What is replaced: the calls that turn text into functions, exactly as they are written. */
const INVOKER_FACTORY_CALL = 'newFunc(Function,args)(...closureArgs)';
const EMVAL_CALLER_CALL = 'newFunc(Function,params)(...args)';

/** Called in place of the first: JavaScript in, WebAssembly called, JavaScript out. */
const INVOKER_FACTORY_SOURCE = `
function craftWithoutText(argTypes, isMethod, returns, invoker, fn, humanName) {
  const [retType, selfType, ...types] = argTypes;
  const stacked = usesDestructorStack(argTypes);
  return function (...given) {
    if (given.length !== types.length) {
      throwBindingError('function ' + humanName + ' called with ' + given.length + ' arguments, expected ' + types.length);
    }
    const destructors = stacked ? [] : null;
    const wired = types.map((type, index) => type.toWireType(destructors, given[index]));
    if (isMethod) wired.unshift(selfType.toWireType(destructors, this));
    const result = invoker(fn, ...wired);
    if (stacked) runDestructors(destructors);
    else types.forEach((type, index) => type.destructorFunction?.(wired[isMethod ? index + 1 : index]));
    return returns ? retType.fromWireType(result) : undefined;
  };
}
`;

/** Called in place of the second: WebAssembly in, JavaScript called, WebAssembly out. */
const EMVAL_CALLER_SOURCE = `
function callWithoutText(kind, retType, types) {
  return function (obj, func, destructorsRef, args) {
    let at = args;
    const given = types.map((type) => {
      const value = type.readValueFromPointer(at);
      at += type.argPackAdvance;
      return value;
    });
    const result = kind === 1 ? new func(...given) : func.call(obj, ...given);
    return retType.isVoid ? undefined : emval_returnValue(retType, destructorsRef, result);
  };
}
`;

/** Gives the transcoder's script without text that becomes code. */
export function replaceFunctionConstructors(source: string): string {
  const free = source
    .replace(
      INVOKER_FACTORY_CALL,
      'craftWithoutText(argTypes,isClassMethodFunc,returns,cppInvokerFunc,cppTargetFunc,humanName)',
    )
    .replace(EMVAL_CALLER_CALL, 'callWithoutText(kind,retType,types)')
    .replace(
      'function usesDestructorStack',
      () => `${INVOKER_FACTORY_SOURCE}${EMVAL_CALLER_SOURCE}function usesDestructorStack`,
    );
  if (free.includes('(Function,') || !free.includes(INVOKER_FACTORY_SOURCE)) {
    throw new Error('The Basis transcoder is not the one this knows how to change.');
  }
  return free;
}
