/** Italian. Instructions are infinitives, buttons imperatives. en.ts describes the keys. */
export const it: Readonly<Record<string, string>> = {
  'view.roleDescription': 'design 3D',
  'view.keyboardHelp':
    'Ruotare con i tasti freccia, spostare con Maiusc e i tasti freccia, zoom con più e meno, reimpostare con R, guida con il punto interrogativo.',
  'view.keyboardHelpOrbit':
    'Ruotare con i tasti freccia, reimpostare con R, guida con il punto interrogativo.',
  'view.reset': 'Reimposta vista',
  'view.zoomIn': 'Ingrandisci',
  'view.zoomOut': 'Riduci',
  'view.rotateLeft': 'Ruota a sinistra',
  'view.rotateRight': 'Ruota a destra',
  'view.rotateUp': 'Ruota in alto',
  'view.rotateDown': 'Ruota in basso',
  'view.fromTop': 'Vista dall’alto',
  'view.fromBelow': 'Vista dal basso',
  'view.fromSide': 'Vista: {direction}',
  'view.fromSideAbove': 'Vista: {direction}, dall’alto',
  'view.fromSideBelow': 'Vista: {direction}, dal basso',
  'view.left': '{angle} a sinistra',
  'view.right': '{angle} a destra',
  'view.up': '{angle} in alto',
  'view.down': '{angle} in basso',
  'view.zoom': 'Zoom: {percent}',
  'view.moved': 'Vista spostata',
  'view.default': 'Vista predefinita',

  'direction.front': 'davanti',
  'direction.frontRight': 'davanti a destra',
  'direction.right': 'destra',
  'direction.backRight': 'dietro a destra',
  'direction.back': 'dietro',
  'direction.backLeft': 'dietro a sinistra',
  'direction.left': 'sinistra',
  'direction.frontLeft': 'davanti a sinistra',

  'hint.zoom': '{key} + rotellina per lo zoom',
  'hint.touch': 'Usare due dita per spostare il modello',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Controlli',
  'toolbar.more': 'Altro',
  'toolbar.close': 'Chiudi',

  'help.title': 'Guida',
  'help.rotate': 'Ruotare',
  'help.zoom': 'Zoom',
  'help.move': 'Spostare',
  'help.focus': 'Vedere un punto da vicino',
  'help.scroll': 'Scorrere la pagina',
  'help.mouse': 'Mouse',
  'help.mouse.rotate': 'Trascinare',
  'help.mouse.zoom': '{key} + rotellina',
  'help.mouse.zoomPlain': 'Rotellina',
  'help.mouse.move': 'Trascinare con il tasto destro',
  'help.mouse.focus': 'Doppio clic',
  'help.touch': 'Schermo tattile',
  'help.touch.rotate': 'Scorrere di lato',
  'help.touch.zoom': 'Pizzicare',
  'help.touch.move': 'Trascinare con due dita',
  'help.touch.focus': 'Toccare due volte',
  'help.touch.scroll': 'Scorrere in alto o in basso',
  'help.keyboard': 'Tastiera',
  'help.keyboard.rotate': 'Tasti freccia',
  'help.keyboard.zoom': '+ e −',
  'help.keyboard.move': 'Maiusc + tasti freccia',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, poi tasti freccia',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Caricamento',
  'loading.start': 'Carica la vista 3D',

  'previewNotice.text': 'È stato possibile caricare solo un’anteprima.',

  'animation.play': 'Riproduci animazione',
  'animation.pause': 'Metti in pausa l’animazione',

  'animations.label': 'Animazioni',
  'animations.time': 'Tempo',
  'animations.position': '{time} di {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Metti in pausa la rotazione',
  'rotation.resume': 'Riprendi la rotazione',

  'variants.label': 'Varianti',
  'variants.selected': 'Variante: {name}',
  'variants.original': 'Originale',

  'parts.label': 'Parti',
  'parts.unnamed': 'Parte {number}',
  'parts.search': 'Cerca parti',
  'parts.noneFound': 'Nessuna parte trovata',
  'parts.found': '{count, plural, one {# parte trovata} other {# parti trovate}}',
  'parts.isolate': 'Mostra solo questa',
  'parts.showAll': 'Mostra tutto',
  'parts.shown': '{name}: visibile',
  'parts.hidden': '{name}: nascosta',
  'parts.isolated': 'È visibile solo {name}',
  'parts.allShown': 'Tutte le parti sono visibili',

  'fullscreen.enter': 'Schermo intero',
  'fullscreen.exit': 'Esci da schermo intero',

  'recovery.retry': 'Riprova',
  'recovery.reload': 'Ricarica',

  forAuthor: 'Per l’autore del sito',

  'refused.title': 'Questa vista 3D non è disponibile qui.',
  'refused.topLevel.advice':
    'Questo URL funziona solo in un iframe. Incollare l’HTML in una pagina, invece di aprire o collegare l’URL.',
  'refused.ancestor.advice':
    'Una pagina intorno a questo iframe si trova su {origin}, e il token nell’URL dell’iframe non contiene questa origine. Se la vista 3D può essere mostrata lì, aggiungere {origin} alle origini del token.',
  'refused.hiddenAncestor.advice':
    'Una pagina intorno a questo iframe nasconde la propria origine, e il token nell’URL dell’iframe contiene un’origine http. I browser non distinguono http da https quando verificano pagine nascoste. Rimuovere referrerpolicy="no-referrer" dagli iframe, oppure indicare solo origini https.',

  'start.failed.title': 'Impossibile caricare la vista 3D.',
  'start.failed.text': 'Verificare la connessione.',
  'start.failed.advice':
    'Uno script del visualizzatore non è stato eseguito. La connessione non è riuscita, oppure un’estensione o un proxy lo blocca: {reason}',
  'start.slow.title': 'La vista 3D è ancora in caricamento.',
  'start.slow.text': 'La connessione è lenta o si è interrotta.',
  'start.slow.advice': 'Gli script del visualizzatore non sono arrivati dopo 15 secondi.',
  'start.offline.text': 'Non c’è ancora connessione.',
  'start.sandbox.advice':
    'L’iframe ha l’attributo sandbox senza allow-same-origin, quindi non può caricare i suoi file. Aggiungere allow-same-origin e allow-scripts all’attributo, oppure rimuoverlo.',
  'start.noScript.text': 'Richiede JavaScript, che qui è disattivato.',
  'start.noScript.advice':
    'Nessuno script di questo iframe è stato eseguito. Se l’iframe ha l’attributo sandbox, deve contenere allow-scripts e allow-same-origin. Altrimenti la connessione non è riuscita, oppure un’estensione o un proxy blocca gli script.',

  'error.offline.title': 'Impossibile caricare la vista 3D.',
  'error.offline.text': 'Verificare la connessione.',
  'error.offline.advice': 'Impossibile richiedere un file del design.',
  'error.interrupted.title': 'Impossibile caricare la vista 3D.',
  'error.interrupted.text': 'La connessione si è interrotta.',
  'error.interrupted.advice': 'Un file del design è arrivato solo in parte.',
  'error.script.title': 'Impossibile caricare la vista 3D.',
  'error.script.text': 'Verificare la connessione.',
  'error.script.advice': 'Impossibile caricare uno script del visualizzatore.',
  'error.controls.title': 'Impossibile caricare i controlli.',
  'error.controls.advice': 'Impossibile caricare lo script dei controlli.',
  'error.grant-expired.title': 'Impossibile caricare la vista 3D.',
  'error.grant-expired.text': 'Questa pagina è aperta da molto tempo.',
  'error.grant-expired.advice': 'L’autorizzazione di accesso di questo documento non è più valida.',
  'error.processing-failed.title': 'Questa vista 3D non può essere mostrata.',
  'error.processing-failed.advice':
    'Impossibile elaborare il file del design. L’API indica il motivo al proprietario del design.',
  'error.refused.title': 'Questa vista 3D non è disponibile qui.',
  'error.refused.advice': 'Il servizio ha rifiutato un file del design.',
  'error.unavailable.title': 'Questa vista 3D non è disponibile al momento.',
  'error.unavailable.text': 'Riprovare tra un momento.',
  'error.unavailable.advice': 'Il servizio non può inviare un file del design.',
  'error.invalid-file.title': 'Questa vista 3D non può essere mostrata.',
  'error.invalid-file.advice': 'Il file è danneggiato o non è un glTF 2.0 valido.',
  'error.unsupported-extension.title': 'Questa vista 3D non può essere mostrata.',
  'error.unsupported-extension.advice':
    'Il file richiede estensioni glTF che questo visualizzatore non supporta: {extensions}.',
  'error.missing-resource.title': 'Questa vista 3D non può essere mostrata.',
  'error.missing-resource.advice': 'Il file fa riferimento a “{uri}”, che manca.',
  'error.empty-scene.title': 'Questa vista 3D è vuota.',
  'error.empty-scene.advice': 'Il file è valido, ma non contiene nulla di visibile.',
  'error.no-webgl.title': 'Questo browser non può mostrare il 3D.',
  'error.no-webgl.text': 'Provare un altro browser o dispositivo.',
  'error.no-webgl.advice': 'WebGL 2 non è disponibile o è disattivato.',
  'error.context-lost.title': 'La vista 3D si è fermata.',
  'error.context-lost.text': 'Il browser ha fermato la sua grafica.',
  'error.context-lost.advice':
    'Il contesto WebGL è andato perso e non è stato possibile ripristinarlo.',
  'error.failed.title': 'Questa vista 3D non può essere mostrata.',
  'error.failed.advice': 'Si è verificato un errore imprevisto.',

  'errorPage.documentTitle': 'Vista 3D',
  'errorPage.title': 'Questa vista 3D non è disponibile qui.',
  'errorPage.title.request.rate-limited': 'Questa vista 3D non è disponibile al momento.',
  'errorPage.title.embed.preview-link': 'Questo link di anteprima non funziona o non funziona più.',
  'errorPage.title.design.not-shared': 'Questa vista 3D non è condivisa o non lo è più.',
  'errorPage.title.design.not-ready': 'Questa vista 3D è in preparazione.',
  'errorPage.title.server.failed': 'Questa vista 3D non è disponibile al momento.',
  'errorPage.title.server.damaged': 'Questa vista 3D non è disponibile al momento.',
  'errorPage.retrying': 'Questa pagina riprova automaticamente.',
  'errorPage.learnMore': 'Che cosa significa',
  'errorPage.advice.request.ambiguous-host':
    'La richiesta indica più di un host. Verificare il proxy davanti al servizio.',
  'errorPage.advice.request.wrong-host':
    'Il servizio non ha questo indirizzo. Creare di nuovo l’HTML e non modificare l’URL che contiene.',
  'errorPage.advice.request.not-acceptable':
    'Il browser, o un proxy, non accetta né HTML né JSON. Verificare che cosa modifica l’intestazione Accept.',
  'errorPage.advice.request.rate-limited':
    'Da questa rete sono state richieste troppe viste 3D. Attendere un minuto e ricaricare la pagina. Un proxy davanti al servizio deve essere indicato in CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'L’URL dell’iframe non ha un token. Crearne uno e scriverlo dopo “?token=”.',
  'errorPage.advice.embed.placeholder':
    'L’HTML contiene ancora CLOCHE_EMBED_TOKEN. Sostituirlo con un token che permette solo l’incorporamento e contiene questo sito.',
  'errorPage.advice.token.malformed':
    'Il token nell’URL dell’iframe è incompleto o scritto male. Copiarlo di nuovo.',
  'errorPage.advice.embed.secret-token':
    'Questa pagina contiene un token segreto, e tutti possono leggere la pagina. Revocare subito il token e usarne uno che permette solo l’incorporamento.',
  'errorPage.advice.token.unknown':
    'Il token nell’URL dell’iframe non esiste in questo servizio. Copiarlo di nuovo o crearne uno.',
  'errorPage.advice.token.revoked':
    'Il token nell’URL dell’iframe è stato revocato. Crearne un altro e sostituirlo nell’HTML.',
  'errorPage.advice.token.expired':
    'Il token nell’URL dell’iframe è scaduto. Crearne un altro e sostituirlo nell’HTML.',
  'errorPage.advice.token.user-disabled':
    'L’utente del token nell’URL dell’iframe è disabilitato. Rivolgersi al gestore del servizio.',
  'errorPage.advice.token.design':
    'Il token nell’URL dell’iframe è limitato ad altri design. Crearne uno per questo design.',
  'errorPage.advice.embed.prefetch':
    'Il browser ha richiesto la vista 3D in anticipo. Si carica quando la pagina viene mostrata; non occorre modificare nulla.',
  'errorPage.advice.embed.not-an-iframe':
    'Questo URL funziona solo in un iframe. Incollare l’HTML in una pagina, invece di aprire o collegare l’URL.',
  'errorPage.advice.embed.origin':
    'Questa pagina si trova su {origin}, e il token nell’URL dell’iframe non contiene questa origine. Se la vista 3D può essere mostrata lì, aggiungere {origin} alle origini del token.',
  'errorPage.advice.embed.origin.unnamed':
    'La pagina intorno all’iframe non ha un’origine che un token possa contenere: è in un frame con sandbox, è stata aperta dal disco o si trova a un indirizzo IPv6. Pubblicarla su un sito che il token contiene.',
  'errorPage.advice.embed.unverified-origin':
    'Il browser non ha indicato quale pagina mostra la vista 3D. Mantenere referrerpolicy="strict-origin" sull’iframe e verificare che nessun proxy rimuova le intestazioni Referer e Sec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link':
    'Il link è incompleto, oppure i suoi dieci minuti sono scaduti. Crearne un altro.',
  'errorPage.advice.design.unknown':
    'Il design non esiste o è stato eliminato. Rimuovere l’HTML, oppure sostituirlo con quello di un altro design.',
  'errorPage.advice.design.not-shared':
    'Il design non esiste, oppure il suo proprietario non lo condivide più con tutti. Rimuovere l’HTML, oppure rivolgersi al proprietario.',
  'errorPage.advice.design.failed':
    'Impossibile elaborare il file del design. L’API indica il motivo al proprietario del design.',
  'errorPage.advice.design.not-ready':
    'Il file del design è in elaborazione. Richiede alcuni secondi.',
  'errorPage.advice.server.failed':
    'Si è verificato un errore interno. Si trova nel log del servizio, con l’identificativo dell’intestazione X-Request-Id di questa risposta.',
  'errorPage.advice.server.damaged':
    'I dati del token o del design sono danneggiati. Creare un altro token, oppure rivolgersi al gestore del servizio.',

  'snippet.genericName': 'Vista 3D',

  'sharePage.title': '{name} · Vista 3D',

  'previewPage.title': 'Anteprima',
  'previewPage.validity': 'Anteprima. Questo link funziona fino alle {time}.',
};
