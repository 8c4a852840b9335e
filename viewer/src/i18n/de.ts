/** German, with the polite “Sie”. en.ts describes the keys. */
export const de: Readonly<Record<string, string>> = {
  'view.roleDescription': '3D-Design',
  'view.keyboardHelp':
    'Drehen mit den Pfeiltasten, verschieben mit Umschalt und den Pfeiltasten, zoomen mit Plus und Minus, zurücksetzen mit R, Hilfe mit dem Fragezeichen.',
  'view.keyboardHelpOrbit':
    'Drehen mit den Pfeiltasten, zurücksetzen mit R, Hilfe mit dem Fragezeichen.',
  'view.reset': 'Ansicht zurücksetzen',
  'view.zoomIn': 'Vergrößern',
  'view.zoomOut': 'Verkleinern',
  'view.rotateLeft': 'Nach links drehen',
  'view.rotateRight': 'Nach rechts drehen',
  'view.rotateUp': 'Nach oben drehen',
  'view.rotateDown': 'Nach unten drehen',
  'view.fromTop': 'Ansicht von oben',
  'view.fromBelow': 'Ansicht von unten',
  'view.fromSide': 'Ansicht von {direction}',
  'view.fromSideAbove': 'Ansicht von {direction} und oben',
  'view.fromSideBelow': 'Ansicht von {direction} und unten',
  'view.left': '{angle} nach links',
  'view.right': '{angle} nach rechts',
  'view.up': '{angle} nach oben',
  'view.down': '{angle} nach unten',
  'view.zoom': 'Zoom {percent}',
  'view.moved': 'Ansicht verschoben',
  'view.default': 'Standardansicht',

  'direction.front': 'vorne',
  'direction.frontRight': 'vorne rechts',
  'direction.right': 'rechts',
  'direction.backRight': 'hinten rechts',
  'direction.back': 'hinten',
  'direction.backLeft': 'hinten links',
  'direction.left': 'links',
  'direction.frontLeft': 'vorne links',

  'hint.zoom': '{key} + Scrollen zum Zoomen',
  'hint.touch': 'Modell mit zwei Fingern bewegen',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Strg',

  'toolbar.label': 'Bedienelemente',
  'toolbar.more': 'Mehr',
  'toolbar.close': 'Schließen',

  'help.title': 'Hilfe',
  'help.rotate': 'Drehen',
  'help.zoom': 'Zoomen',
  'help.move': 'Verschieben',
  'help.focus': 'Punkt näher ansehen',
  'help.scroll': 'Seite scrollen',
  'help.mouse': 'Maus',
  'help.mouse.rotate': 'Ziehen',
  'help.mouse.zoom': '{key} + Mausrad',
  'help.mouse.zoomPlain': 'Mausrad',
  'help.mouse.move': 'Mit der rechten Taste ziehen',
  'help.mouse.focus': 'Doppelklicken',
  'help.touch': 'Touch',
  'help.touch.rotate': 'Seitlich wischen',
  'help.touch.zoom': 'Zwei Finger spreizen',
  'help.touch.move': 'Mit zwei Fingern ziehen',
  'help.touch.focus': 'Doppelt tippen',
  'help.touch.scroll': 'Nach oben oder unten wischen',
  'help.keyboard': 'Tastatur',
  'help.keyboard.rotate': 'Pfeiltasten',
  'help.keyboard.zoom': '+ und −',
  'help.keyboard.move': 'Umschalt + Pfeiltasten',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, dann Pfeiltasten',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Wird geladen',
  'loading.start': '3D-Ansicht laden',

  'previewNotice.text': 'Nur eine Vorschau konnte geladen werden.',

  'animation.play': 'Animation abspielen',
  'animation.pause': 'Animation anhalten',

  'animations.label': 'Animationen',
  'animations.time': 'Zeit',
  'animations.position': '{time} von {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Drehung anhalten',
  'rotation.resume': 'Drehung fortsetzen',

  'variants.label': 'Varianten',
  'variants.selected': 'Variante: {name}',
  'variants.original': 'Original',

  'parts.label': 'Teile',
  'parts.unnamed': 'Teil {number}',
  'parts.search': 'Teile suchen',
  'parts.noneFound': 'Keine Teile gefunden',
  'parts.found': '{count, plural, one {# Teil gefunden} other {# Teile gefunden}}',
  'parts.isolate': 'Nur dieses zeigen',
  'parts.showAll': 'Alle zeigen',
  'parts.shown': '{name}: sichtbar',
  'parts.hidden': '{name}: ausgeblendet',
  'parts.isolated': 'Nur {name} ist sichtbar',
  'parts.allShown': 'Alle Teile sind sichtbar',

  'fullscreen.enter': 'Vollbild',
  'fullscreen.exit': 'Vollbild beenden',

  'recovery.retry': 'Erneut versuchen',
  'recovery.reload': 'Neu laden',

  forAuthor: 'Für den Autor der Website',

  'refused.title': 'Diese 3D-Ansicht ist hier nicht verfügbar.',
  'refused.topLevel.advice':
    'Diese URL funktioniert nur in einem iframe. Fügen Sie das HTML in eine Seite ein, statt die URL zu öffnen oder zu verlinken.',
  'refused.ancestor.advice':
    'Eine Seite um diesen iframe liegt auf {origin}, und das Token in der URL des iframes enthält diese Origin nicht. Wenn die 3D-Ansicht dort gezeigt werden darf, fügen Sie {origin} zu den Origins des Tokens hinzu.',
  'refused.hiddenAncestor.advice':
    'Eine Seite um diesen iframe verbirgt ihre Origin, und das Token in der URL des iframes enthält eine http-Origin. Browser unterscheiden http und https nicht, wenn sie verborgene Seiten prüfen. Entfernen Sie referrerpolicy="no-referrer" von den iframes, oder verwenden Sie nur https-Origins.',

  'start.failed.title': 'Die 3D-Ansicht konnte nicht geladen werden.',
  'start.failed.text': 'Prüfen Sie Ihre Verbindung.',
  'start.failed.advice':
    'Ein Skript des Viewers wurde nicht ausgeführt. Die Verbindung ist fehlgeschlagen, oder eine Erweiterung oder ein Proxy blockiert es: {reason}',
  'start.slow.title': 'Die 3D-Ansicht wird noch geladen.',
  'start.slow.text': 'Die Verbindung ist langsam oder wurde unterbrochen.',
  'start.slow.advice': 'Die Skripte des Viewers sind nach 15 Sekunden nicht angekommen.',
  'start.offline.text': 'Es besteht noch keine Verbindung.',
  'start.sandbox.advice':
    'Der iframe hat das Attribut sandbox ohne allow-same-origin und kann deshalb seine Dateien nicht laden. Fügen Sie allow-same-origin und allow-scripts zum Attribut hinzu, oder entfernen Sie es.',
  'start.noScript.text': 'Sie benötigt JavaScript, das hier ausgeschaltet ist.',
  'start.noScript.advice':
    'Kein Skript dieses iframes wurde ausgeführt. Wenn der iframe das Attribut sandbox hat, muss es allow-scripts und allow-same-origin enthalten. Andernfalls ist die Verbindung fehlgeschlagen, oder eine Erweiterung oder ein Proxy blockiert Skripte.',

  'error.offline.title': 'Die 3D-Ansicht konnte nicht geladen werden.',
  'error.offline.text': 'Prüfen Sie Ihre Verbindung.',
  'error.offline.advice': 'Eine Datei des Designs konnte nicht angefordert werden.',
  'error.interrupted.title': 'Die 3D-Ansicht konnte nicht geladen werden.',
  'error.interrupted.text': 'Die Verbindung wurde unterbrochen.',
  'error.interrupted.advice': 'Eine Datei des Designs kam nur teilweise an.',
  'error.script.title': 'Die 3D-Ansicht konnte nicht geladen werden.',
  'error.script.text': 'Prüfen Sie Ihre Verbindung.',
  'error.script.advice': 'Ein Skript des Viewers konnte nicht geladen werden.',
  'error.controls.title': 'Die Bedienelemente konnten nicht geladen werden.',
  'error.controls.advice': 'Das Skript mit den Bedienelementen konnte nicht geladen werden.',
  'error.grant-expired.title': 'Die 3D-Ansicht konnte nicht geladen werden.',
  'error.grant-expired.text': 'Diese Seite war lange Zeit geöffnet.',
  'error.grant-expired.advice': 'Die Zugriffsberechtigung dieses Dokuments ist nicht mehr gültig.',
  'error.processing-failed.title': 'Diese 3D-Ansicht kann nicht angezeigt werden.',
  'error.processing-failed.advice':
    'Die Datei des Designs konnte nicht verarbeitet werden. Die API nennt dem Eigentümer des Designs den Grund.',
  'error.refused.title': 'Diese 3D-Ansicht ist hier nicht verfügbar.',
  'error.refused.advice': 'Der Dienst hat eine Datei des Designs verweigert.',
  'error.unavailable.title': 'Diese 3D-Ansicht ist zurzeit nicht verfügbar.',
  'error.unavailable.text': 'Versuchen Sie es gleich noch einmal.',
  'error.unavailable.advice': 'Der Dienst kann eine Datei des Designs nicht senden.',
  'error.invalid-file.title': 'Diese 3D-Ansicht kann nicht angezeigt werden.',
  'error.invalid-file.advice': 'Die Datei ist beschädigt oder kein gültiges glTF 2.0.',
  'error.unsupported-extension.title': 'Diese 3D-Ansicht kann nicht angezeigt werden.',
  'error.unsupported-extension.advice':
    'Die Datei benötigt glTF-Erweiterungen, die dieser Viewer nicht unterstützt: {extensions}.',
  'error.missing-resource.title': 'Diese 3D-Ansicht kann nicht angezeigt werden.',
  'error.missing-resource.advice': 'Die Datei verweist auf „{uri}“, das fehlt.',
  'error.empty-scene.title': 'Diese 3D-Ansicht ist leer.',
  'error.empty-scene.advice': 'Die Datei ist gültig, enthält aber nichts Sichtbares.',
  'error.no-webgl.title': 'Dieser Browser kann kein 3D anzeigen.',
  'error.no-webgl.text': 'Versuchen Sie es mit einem anderen Browser oder Gerät.',
  'error.no-webgl.advice': 'WebGL 2 ist nicht verfügbar oder ausgeschaltet.',
  'error.context-lost.title': 'Die 3D-Ansicht wurde angehalten.',
  'error.context-lost.text': 'Der Browser hat seine Grafik angehalten.',
  'error.context-lost.advice':
    'Der WebGL-Kontext ging verloren und konnte nicht wiederhergestellt werden.',
  'error.failed.title': 'Diese 3D-Ansicht kann nicht angezeigt werden.',
  'error.failed.advice': 'Ein unerwarteter Fehler ist aufgetreten.',

  'errorPage.documentTitle': '3D-Ansicht',
  'errorPage.title': 'Diese 3D-Ansicht ist hier nicht verfügbar.',
  'errorPage.title.request.rate-limited': 'Diese 3D-Ansicht ist zurzeit nicht verfügbar.',
  'errorPage.title.embed.preview-link': 'Dieser Vorschaulink funktioniert nicht oder nicht mehr.',
  'errorPage.title.design.not-shared': 'Diese 3D-Ansicht ist nicht oder nicht mehr freigegeben.',
  'errorPage.title.design.not-ready': 'Diese 3D-Ansicht wird vorbereitet.',
  'errorPage.title.server.failed': 'Diese 3D-Ansicht ist zurzeit nicht verfügbar.',
  'errorPage.title.server.damaged': 'Diese 3D-Ansicht ist zurzeit nicht verfügbar.',
  'errorPage.retrying': 'Diese Seite versucht es automatisch erneut.',
  'errorPage.learnMore': 'Was das bedeutet',
  'errorPage.advice.request.ambiguous-host':
    'Die Anfrage nennt mehr als einen Host. Prüfen Sie den Proxy vor dem Dienst.',
  'errorPage.advice.request.wrong-host':
    'Der Dienst hat diese Adresse nicht. Erzeugen Sie das HTML neu, und ändern Sie die URL darin nicht.',
  'errorPage.advice.request.not-acceptable':
    'Der Browser oder ein Proxy akzeptiert weder HTML noch JSON. Prüfen Sie, was den Accept-Header ändert.',
  'errorPage.advice.request.rate-limited':
    'Aus diesem Netzwerk wurden zu viele 3D-Ansichten angefordert. Warten Sie eine Minute, und laden Sie die Seite neu. Ein Proxy vor dem Dienst muss in CLOCHE_TRUSTED_PROXIES stehen.',
  'errorPage.advice.token.missing':
    'Die URL des iframes hat kein Token. Erzeugen Sie eines, und schreiben Sie es hinter „?token=“.',
  'errorPage.advice.embed.placeholder':
    'Das HTML enthält noch CLOCHE_EMBED_TOKEN. Ersetzen Sie es durch ein Token, das nur einbetten darf und diese Website enthält.',
  'errorPage.advice.token.malformed':
    'Das Token in der URL des iframes ist unvollständig oder falsch geschrieben. Kopieren Sie es noch einmal.',
  'errorPage.advice.embed.secret-token':
    'Diese Seite enthält ein geheimes Token, und jeder kann die Seite lesen. Widerrufen Sie das Token jetzt, und verwenden Sie eines, das nur einbetten darf.',
  'errorPage.advice.token.unknown':
    'Das Token in der URL des iframes gibt es in diesem Dienst nicht. Kopieren Sie es noch einmal, oder erzeugen Sie eines.',
  'errorPage.advice.token.revoked':
    'Das Token in der URL des iframes wurde widerrufen. Erzeugen Sie ein anderes, und ersetzen Sie es im HTML.',
  'errorPage.advice.token.expired':
    'Das Token in der URL des iframes ist abgelaufen. Erzeugen Sie ein anderes, und ersetzen Sie es im HTML.',
  'errorPage.advice.token.user-disabled':
    'Der Benutzer des Tokens in der URL des iframes ist deaktiviert. Fragen Sie den Betreiber des Dienstes.',
  'errorPage.advice.token.design':
    'Das Token in der URL des iframes ist auf andere Designs beschränkt. Erzeugen Sie eines für dieses Design.',
  'errorPage.advice.embed.prefetch':
    'Der Browser hat die 3D-Ansicht im Voraus angefordert. Sie wird geladen, wenn die Seite angezeigt wird; es muss nichts geändert werden.',
  'errorPage.advice.embed.not-an-iframe':
    'Diese URL funktioniert nur in einem iframe. Fügen Sie das HTML in eine Seite ein, statt die URL zu öffnen oder zu verlinken.',
  'errorPage.advice.embed.origin':
    'Diese Seite liegt auf {origin}, und das Token in der URL des iframes enthält diese Origin nicht. Wenn die 3D-Ansicht dort gezeigt werden darf, fügen Sie {origin} zu den Origins des Tokens hinzu.',
  'errorPage.advice.embed.origin.unnamed':
    'Die Seite um den iframe hat keine Origin, die ein Token enthalten kann: Sie ist in einem Frame mit sandbox, wurde von der Festplatte geöffnet oder hat eine IPv6-Adresse. Stellen Sie sie auf einer Website bereit, die das Token enthält.',
  'errorPage.advice.embed.unverified-origin':
    'Der Browser hat nicht angegeben, welche Seite die 3D-Ansicht zeigt. Lassen Sie referrerpolicy="strict-origin" am iframe, und prüfen Sie, dass kein Proxy die Header Referer und Sec-Fetch-Dest entfernt.',
  'errorPage.advice.embed.preview-link':
    'Der Link ist unvollständig, oder seine zehn Minuten sind vorbei. Erzeugen Sie einen neuen.',
  'errorPage.advice.design.unknown':
    'Das Design gibt es nicht, oder es wurde gelöscht. Entfernen Sie das HTML, oder ersetzen Sie es durch das eines anderen Designs.',
  'errorPage.advice.design.not-shared':
    'Das Design gibt es nicht, oder sein Eigentümer gibt es nicht mehr für alle frei. Entfernen Sie das HTML, oder fragen Sie den Eigentümer.',
  'errorPage.advice.design.failed':
    'Die Datei des Designs konnte nicht verarbeitet werden. Die API nennt dem Eigentümer des Designs den Grund.',
  'errorPage.advice.design.not-ready':
    'Die Datei des Designs wird verarbeitet. Das dauert einige Sekunden.',
  'errorPage.advice.server.failed':
    'Ein interner Fehler ist aufgetreten. Er steht im Log des Dienstes, unter der ID im Header X-Request-Id dieser Antwort.',
  'errorPage.advice.server.damaged':
    'Die Daten des Tokens oder des Designs sind beschädigt. Erzeugen Sie ein anderes Token, oder fragen Sie den Betreiber des Dienstes.',

  'snippet.genericName': '3D-Ansicht',

  'sharePage.title': '{name} · 3D-Ansicht',

  'previewPage.title': 'Vorschau',
  'previewPage.validity': 'Vorschau. Dieser Link funktioniert bis {time}.',
};
