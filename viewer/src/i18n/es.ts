/** Spanish, with the polite “usted”. en.ts describes the keys. */
export const es: Readonly<Record<string, string>> = {
  'view.roleDescription': 'diseño 3D',
  'view.keyboardHelp':
    'Gire con las teclas de flecha, desplace con Mayús y las teclas de flecha, acerque o aleje con más y menos, restablezca con R, ayuda con el signo de interrogación.',
  'view.keyboardHelpOrbit':
    'Gire con las teclas de flecha, restablezca con R, ayuda con el signo de interrogación.',
  'view.reset': 'Restablecer la vista',
  'view.zoomIn': 'Acercar',
  'view.zoomOut': 'Alejar',
  'view.rotateLeft': 'Girar a la izquierda',
  'view.rotateRight': 'Girar a la derecha',
  'view.rotateUp': 'Girar hacia arriba',
  'view.rotateDown': 'Girar hacia abajo',
  'view.fromTop': 'Vista desde arriba',
  'view.fromBelow': 'Vista desde abajo',
  'view.fromSide': 'Vista desde {direction}',
  'view.fromSideAbove': 'Vista desde {direction} y arriba',
  'view.fromSideBelow': 'Vista desde {direction} y abajo',
  'view.left': '{angle} a la izquierda',
  'view.right': '{angle} a la derecha',
  'view.up': '{angle} hacia arriba',
  'view.down': '{angle} hacia abajo',
  'view.zoom': 'Zoom: {percent}',
  'view.moved': 'Vista desplazada',
  'view.default': 'Vista predeterminada',

  'direction.front': 'delante',
  'direction.frontRight': 'delante a la derecha',
  'direction.right': 'la derecha',
  'direction.backRight': 'detrás a la derecha',
  'direction.back': 'detrás',
  'direction.backLeft': 'detrás a la izquierda',
  'direction.left': 'la izquierda',
  'direction.frontLeft': 'delante a la izquierda',

  'hint.zoom': '{key} + rueda para acercar o alejar',
  'hint.touch': 'Use dos dedos para mover el modelo',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Controles',
  'toolbar.more': 'Más',
  'toolbar.close': 'Cerrar',

  'help.title': 'Ayuda',
  'help.rotate': 'Girar',
  'help.zoom': 'Acercar o alejar',
  'help.move': 'Desplazar',
  'help.focus': 'Ver un punto de cerca',
  'help.scroll': 'Desplazar la página',
  'help.mouse': 'Ratón',
  'help.mouse.rotate': 'Arrastrar',
  'help.mouse.zoom': '{key} + rueda',
  'help.mouse.zoomPlain': 'Rueda',
  'help.mouse.move': 'Arrastrar con el botón derecho',
  'help.mouse.focus': 'Doble clic',
  'help.touch': 'Pantalla táctil',
  'help.touch.rotate': 'Deslizar hacia los lados',
  'help.touch.zoom': 'Pellizcar',
  'help.touch.move': 'Arrastrar con dos dedos',
  'help.touch.focus': 'Tocar dos veces',
  'help.touch.scroll': 'Deslizar hacia arriba o abajo',
  'help.keyboard': 'Teclado',
  'help.keyboard.rotate': 'Teclas de flecha',
  'help.keyboard.zoom': '+ y −',
  'help.keyboard.move': 'Mayús + teclas de flecha',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab y después teclas de flecha',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Cargando',
  'loading.start': 'Cargar la vista 3D',

  'previewNotice.text': 'Solo se pudo cargar una vista previa.',

  'animation.play': 'Reproducir la animación',
  'animation.pause': 'Pausar la animación',

  'animations.label': 'Animaciones',
  'animations.time': 'Tiempo',
  'animations.position': '{time} de {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Pausar el giro',
  'rotation.resume': 'Reanudar el giro',

  'variants.label': 'Variantes',
  'variants.selected': 'Variante: {name}',
  'variants.original': 'Versión original',

  'parts.label': 'Piezas',
  'parts.unnamed': 'Pieza {number}',
  'parts.search': 'Buscar piezas',
  'parts.noneFound': 'No se encontraron piezas',
  'parts.found': '{count, plural, one {# pieza encontrada} other {# piezas encontradas}}',
  'parts.isolate': 'Mostrar solo esta',
  'parts.showAll': 'Mostrar todo',
  'parts.shown': '{name}: visible',
  'parts.hidden': '{name}: oculta',
  'parts.isolated': 'Solo se muestra {name}',
  'parts.allShown': 'Se muestran todas las piezas',

  'fullscreen.enter': 'Pantalla completa',
  'fullscreen.exit': 'Salir de pantalla completa',

  'recovery.retry': 'Reintentar',
  'recovery.reload': 'Volver a cargar',

  forAuthor: 'Para el autor del sitio',

  'refused.title': 'Esta vista 3D no está disponible aquí.',
  'refused.topLevel.advice':
    'Esta URL solo funciona en un iframe. Pegue el HTML en una página, en lugar de abrir la URL o enlazarla.',
  'refused.ancestor.advice':
    'Una página que rodea este iframe está en {origin}, y el token de la URL del iframe no incluye ese origen. Si la vista 3D se puede mostrar allí, añada {origin} a los orígenes del token.',
  'refused.hiddenAncestor.advice':
    'Una página que rodea este iframe oculta su origen, y el token de la URL del iframe incluye un origen http. Los navegadores no distinguen http de https cuando comprueban páginas ocultas. Quite referrerpolicy="no-referrer" de los iframes, o incluya solo orígenes https.',

  'start.failed.title': 'No se pudo cargar la vista 3D.',
  'start.failed.text': 'Compruebe su conexión.',
  'start.failed.advice':
    'Un script del visor no se ejecutó. La conexión falló, o una extensión o un proxy lo bloquea: {reason}',
  'start.slow.title': 'La vista 3D todavía se está cargando.',
  'start.slow.text': 'La conexión es lenta o se perdió.',
  'start.slow.advice': 'Los scripts del visor no han llegado después de 15 segundos.',
  'start.offline.text': 'Todavía no hay conexión.',
  'start.sandbox.advice':
    'El iframe tiene el atributo sandbox sin allow-same-origin, así que no puede cargar sus archivos. Añada allow-same-origin y allow-scripts al atributo, o quítelo.',
  'start.noScript.text': 'Necesita JavaScript, que aquí está desactivado.',
  'start.noScript.advice':
    'No se ejecutó ningún script de este iframe. Si el iframe tiene el atributo sandbox, debe contener allow-scripts y allow-same-origin. Si no, la conexión falló, o una extensión o un proxy bloquea los scripts.',

  'error.offline.title': 'No se pudo cargar la vista 3D.',
  'error.offline.text': 'Compruebe su conexión.',
  'error.offline.advice': 'No se pudo solicitar un archivo del diseño.',
  'error.interrupted.title': 'No se pudo cargar la vista 3D.',
  'error.interrupted.text': 'Se perdió la conexión.',
  'error.interrupted.advice': 'Un archivo del diseño llegó solo en parte.',
  'error.script.title': 'No se pudo cargar la vista 3D.',
  'error.script.text': 'Compruebe su conexión.',
  'error.script.advice': 'No se pudo cargar un script del visor.',
  'error.controls.title': 'No se pudieron cargar los controles.',
  'error.controls.advice': 'No se pudo cargar el script de los controles.',
  'error.grant-expired.title': 'No se pudo cargar la vista 3D.',
  'error.grant-expired.text': 'Esta página lleva mucho tiempo abierta.',
  'error.grant-expired.advice': 'La autorización de acceso de este documento ya no es válida.',
  'error.processing-failed.title': 'Esta vista 3D no se puede mostrar.',
  'error.processing-failed.advice':
    'No se pudo procesar el archivo del diseño. La API indica el motivo al propietario del diseño.',
  'error.refused.title': 'Esta vista 3D no está disponible aquí.',
  'error.refused.advice': 'El servicio rechazó un archivo del diseño.',
  'error.unavailable.title': 'Esta vista 3D no está disponible en este momento.',
  'error.unavailable.text': 'Vuelva a intentarlo en un momento.',
  'error.unavailable.advice': 'El servicio no puede enviar un archivo del diseño.',
  'error.invalid-file.title': 'Esta vista 3D no se puede mostrar.',
  'error.invalid-file.advice': 'El archivo está dañado o no es un glTF 2.0 válido.',
  'error.unsupported-extension.title': 'Esta vista 3D no se puede mostrar.',
  'error.unsupported-extension.advice':
    'El archivo necesita extensiones de glTF que este visor no admite: {extensions}.',
  'error.missing-resource.title': 'Esta vista 3D no se puede mostrar.',
  'error.missing-resource.advice': 'El archivo hace referencia a «{uri}», que falta.',
  'error.empty-scene.title': 'Esta vista 3D está vacía.',
  'error.empty-scene.advice': 'El archivo es válido, pero no contiene nada visible.',
  'error.no-webgl.title': 'Este navegador no puede mostrar 3D.',
  'error.no-webgl.text': 'Pruebe con otro navegador o dispositivo.',
  'error.no-webgl.advice': 'WebGL 2 no está disponible o está desactivado.',
  'error.context-lost.title': 'La vista 3D se ha detenido.',
  'error.context-lost.text': 'El navegador ha detenido sus gráficos.',
  'error.context-lost.advice': 'Se perdió el contexto de WebGL y no se pudo restaurar.',
  'error.failed.title': 'Esta vista 3D no se puede mostrar.',
  'error.failed.advice': 'Se produjo un error inesperado.',

  'errorPage.documentTitle': 'Vista 3D',
  'errorPage.title': 'Esta vista 3D no está disponible aquí.',
  'errorPage.title.request.rate-limited': 'Esta vista 3D no está disponible en este momento.',
  'errorPage.title.embed.preview-link':
    'Este enlace de vista previa no funciona o ya no es válido.',
  'errorPage.title.design.not-shared': 'Esta vista 3D no está compartida o ya no lo está.',
  'errorPage.title.design.not-ready': 'Esta vista 3D se está preparando.',
  'errorPage.title.server.failed': 'Esta vista 3D no está disponible en este momento.',
  'errorPage.title.server.damaged': 'Esta vista 3D no está disponible en este momento.',
  'errorPage.retrying': 'Esta página vuelve a intentarlo automáticamente.',
  'errorPage.learnMore': 'Qué significa esto',
  'errorPage.advice.request.ambiguous-host':
    'La solicitud indica más de un host. Compruebe el proxy delante del servicio.',
  'errorPage.advice.request.wrong-host':
    'El servicio no tiene esta dirección. Cree el HTML de nuevo y no cambie la URL que contiene.',
  'errorPage.advice.request.not-acceptable':
    'El navegador, o un proxy, no acepta ni HTML ni JSON. Compruebe qué cambia el encabezado Accept.',
  'errorPage.advice.request.rate-limited':
    'Se han solicitado demasiadas vistas 3D desde esta red. Espere un minuto y vuelva a cargar la página. Un proxy delante del servicio debe figurar en CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'La URL del iframe no tiene token. Cree uno y escríbalo después de «?token=».',
  'errorPage.advice.embed.placeholder':
    'El HTML todavía contiene CLOCHE_EMBED_TOKEN. Sustitúyalo por un token que solo permita insertar y que incluya este sitio.',
  'errorPage.advice.token.malformed':
    'El token de la URL del iframe está incompleto o mal escrito. Cópielo de nuevo.',
  'errorPage.advice.embed.secret-token':
    'Esta página contiene un token secreto, y cualquiera puede leer la página. Revoque el token ahora y use uno que solo permita insertar.',
  'errorPage.advice.token.unknown':
    'El token de la URL del iframe no existe en este servicio. Cópielo de nuevo o cree uno.',
  'errorPage.advice.token.revoked':
    'El token de la URL del iframe fue revocado. Cree otro y sustitúyalo en el HTML.',
  'errorPage.advice.token.expired':
    'El token de la URL del iframe ha caducado. Cree otro y sustitúyalo en el HTML.',
  'errorPage.advice.token.user-disabled':
    'El usuario del token de la URL del iframe está desactivado. Consulte al operador del servicio.',
  'errorPage.advice.token.design':
    'El token de la URL del iframe está limitado a otros diseños. Cree uno para este diseño.',
  'errorPage.advice.embed.prefetch':
    'El navegador solicitó la vista 3D por adelantado. Se carga cuando se muestra la página; no hay que cambiar nada.',
  'errorPage.advice.embed.not-an-iframe':
    'Esta URL solo funciona en un iframe. Pegue el HTML en una página, en lugar de abrir la URL o enlazarla.',
  'errorPage.advice.embed.origin':
    'Esta página está en {origin}, y el token de la URL del iframe no incluye ese origen. Si la vista 3D se puede mostrar allí, añada {origin} a los orígenes del token.',
  'errorPage.advice.embed.origin.unnamed':
    'La página que rodea el iframe no tiene un origen que un token pueda incluir: está en un marco con sandbox, se abrió desde el disco o está en una dirección IPv6. Publíquela en un sitio que el token incluya.',
  'errorPage.advice.embed.unverified-origin':
    'El navegador no indicó qué página muestra la vista 3D. Mantenga referrerpolicy="strict-origin" en el iframe y compruebe que ningún proxy quite los encabezados Referer y Sec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link':
    'El enlace está incompleto o sus diez minutos han pasado. Cree otro.',
  'errorPage.advice.design.unknown':
    'El diseño no existe o se eliminó. Quite el HTML o sustitúyalo por el de otro diseño.',
  'errorPage.advice.design.not-shared':
    'El diseño no existe, o su propietario ya no lo comparte con todos. Quite el HTML o consulte al propietario.',
  'errorPage.advice.design.failed':
    'No se pudo procesar el archivo del diseño. La API indica el motivo al propietario del diseño.',
  'errorPage.advice.design.not-ready':
    'El archivo del diseño se está procesando. Tarda unos segundos.',
  'errorPage.advice.server.failed':
    'Se produjo un error interno. Está en el registro del servicio, con el identificador del encabezado X-Request-Id de esta respuesta.',
  'errorPage.advice.server.damaged':
    'Los datos del token o del diseño están dañados. Cree otro token o consulte al operador del servicio.',

  'snippet.genericName': 'Vista 3D',

  'sharePage.title': '{name} · Vista 3D',

  'previewPage.title': 'Vista previa',
  'previewPage.validity': 'Vista previa. Este enlace funciona hasta las {time}.',
};
