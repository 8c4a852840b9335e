/** Dutch, with the polite “u”. en.ts describes the keys. */
export const nl: Readonly<Record<string, string>> = {
  'view.roleDescription': '3D-ontwerp',
  'view.keyboardHelp':
    'Draai met de pijltoetsen, verplaats met Shift en de pijltoetsen, zoom met plus en min, herstel met R, hulp met het vraagteken.',
  'view.keyboardHelpOrbit': 'Draai met de pijltoetsen, herstel met R, hulp met het vraagteken.',
  'view.reset': 'Weergave herstellen',
  'view.zoomIn': 'Inzoomen',
  'view.zoomOut': 'Uitzoomen',
  'view.rotateLeft': 'Naar links draaien',
  'view.rotateRight': 'Naar rechts draaien',
  'view.rotateUp': 'Omhoog draaien',
  'view.rotateDown': 'Omlaag draaien',
  'view.fromTop': 'Van boven gezien',
  'view.fromBelow': 'Van onderen gezien',
  'view.fromSide': 'Gezien van {direction}',
  'view.fromSideAbove': 'Gezien van {direction} en boven',
  'view.fromSideBelow': 'Gezien van {direction} en onder',
  'view.left': '{angle} naar links',
  'view.right': '{angle} naar rechts',
  'view.up': '{angle} omhoog',
  'view.down': '{angle} omlaag',
  'view.zoom': 'Zoom: {percent}',
  'view.moved': 'Weergave verplaatst',
  'view.default': 'Standaardweergave',

  'direction.front': 'voren',
  'direction.frontRight': 'rechtsvoor',
  'direction.right': 'rechts',
  'direction.backRight': 'rechtsachter',
  'direction.back': 'achteren',
  'direction.backLeft': 'linksachter',
  'direction.left': 'links',
  'direction.frontLeft': 'linksvoor',

  'hint.zoom': '{key} + scrollen om te zoomen',
  'hint.touch': 'Verplaats het model met twee vingers',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Bediening',
  'toolbar.more': 'Meer',
  'toolbar.close': 'Sluiten',

  'help.title': 'Hulp',
  'help.rotate': 'Draaien',
  'help.zoom': 'Zoomen',
  'help.move': 'Verplaatsen',
  'help.focus': 'Een punt van dichtbij bekijken',
  'help.scroll': 'De pagina scrollen',
  'help.mouse': 'Muis',
  'help.mouse.rotate': 'Slepen',
  'help.mouse.zoom': '{key} + muiswiel',
  'help.mouse.zoomPlain': 'Muiswiel',
  'help.mouse.move': 'Slepen met de rechterknop',
  'help.mouse.focus': 'Dubbelklikken',
  'help.touch': 'Aanraken',
  'help.touch.rotate': 'Zijwaarts vegen',
  'help.touch.zoom': 'Knijpen',
  'help.touch.move': 'Met twee vingers slepen',
  'help.touch.focus': 'Dubbeltikken',
  'help.touch.scroll': 'Omhoog of omlaag vegen',
  'help.keyboard': 'Toetsenbord',
  'help.keyboard.rotate': 'Pijltoetsen',
  'help.keyboard.zoom': '+ en −',
  'help.keyboard.move': 'Shift + pijltoetsen',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, dan pijltoetsen',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Laden',
  'loading.start': '3D-weergave laden',

  'previewNotice.text': 'Alleen een voorbeeld kon worden geladen.',

  'animation.play': 'Animatie afspelen',
  'animation.pause': 'Animatie pauzeren',

  'animations.label': 'Animaties',
  'animations.time': 'Tijd',
  'animations.position': '{time} van {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Draaien pauzeren',
  'rotation.resume': 'Draaien hervatten',

  'variants.label': 'Varianten',
  'variants.selected': 'Variant: {name}',
  'variants.original': 'Origineel',

  'parts.label': 'Onderdelen',
  'parts.unnamed': 'Onderdeel {number}',
  'parts.search': 'Onderdelen zoeken',
  'parts.noneFound': 'Geen onderdelen gevonden',
  'parts.found': '{count, plural, one {# onderdeel gevonden} other {# onderdelen gevonden}}',
  'parts.isolate': 'Alleen dit tonen',
  'parts.showAll': 'Alles tonen',
  'parts.shown': '{name}: zichtbaar',
  'parts.hidden': '{name}: verborgen',
  'parts.isolated': 'Alleen {name} is zichtbaar',
  'parts.allShown': 'Alle onderdelen zijn zichtbaar',

  'fullscreen.enter': 'Volledig scherm',
  'fullscreen.exit': 'Volledig scherm sluiten',

  'recovery.retry': 'Opnieuw proberen',
  'recovery.reload': 'Opnieuw laden',

  forAuthor: 'Voor de auteur van de site',

  'refused.title': 'Deze 3D-weergave is hier niet beschikbaar.',
  'refused.topLevel.advice':
    'Deze URL werkt alleen in een iframe. Plak de HTML in een pagina, in plaats van de URL te openen of ernaar te linken.',
  'refused.ancestor.advice':
    'Een pagina rond dit iframe staat op {origin}, en het token in de URL van het iframe bevat deze origin niet. Als de 3D-weergave daar mag worden getoond, voeg {origin} dan toe aan de origins van het token.',
  'refused.hiddenAncestor.advice':
    'Een pagina rond dit iframe verbergt haar origin, en het token in de URL van het iframe bevat een http-origin. Browsers maken geen verschil tussen http en https als ze verborgen pagina’s controleren. Verwijder referrerpolicy="no-referrer" van de iframes, of gebruik alleen https-origins.',

  'start.failed.title': 'De 3D-weergave kon niet worden geladen.',
  'start.failed.text': 'Controleer uw verbinding.',
  'start.failed.advice':
    'Een script van de viewer is niet uitgevoerd. De verbinding is mislukt, of een extensie of proxy blokkeert het: {reason}',
  'start.slow.title': 'De 3D-weergave wordt nog geladen.',
  'start.slow.text': 'De verbinding is traag of verbroken.',
  'start.slow.advice': 'De scripts van de viewer zijn na 15 seconden niet aangekomen.',
  'start.offline.text': 'Er is nog steeds geen verbinding.',
  'start.sandbox.advice':
    'Het iframe heeft het attribuut sandbox zonder allow-same-origin en kan daarom zijn bestanden niet laden. Voeg allow-same-origin en allow-scripts toe aan het attribuut, of verwijder het.',
  'start.noScript.text': 'Hiervoor is JavaScript nodig, dat hier is uitgeschakeld.',
  'start.noScript.advice':
    'Geen enkel script van dit iframe is uitgevoerd. Als het iframe het attribuut sandbox heeft, moet dit allow-scripts en allow-same-origin bevatten. Anders is de verbinding mislukt, of blokkeert een extensie of proxy scripts.',

  'error.offline.title': 'De 3D-weergave kon niet worden geladen.',
  'error.offline.text': 'Controleer uw verbinding.',
  'error.offline.advice': 'Een bestand van het ontwerp kon niet worden opgevraagd.',
  'error.interrupted.title': 'De 3D-weergave kon niet worden geladen.',
  'error.interrupted.text': 'De verbinding is verbroken.',
  'error.interrupted.advice': 'Een bestand van het ontwerp is maar gedeeltelijk aangekomen.',
  'error.script.title': 'De 3D-weergave kon niet worden geladen.',
  'error.script.text': 'Controleer uw verbinding.',
  'error.script.advice': 'Een script van de viewer kon niet worden geladen.',
  'error.controls.title': 'De bediening kon niet worden geladen.',
  'error.controls.advice': 'Het script met de bediening kon niet worden geladen.',
  'error.grant-expired.title': 'De 3D-weergave kon niet worden geladen.',
  'error.grant-expired.text': 'Deze pagina is lange tijd open geweest.',
  'error.grant-expired.advice': 'De toegangsrechten van dit document zijn niet meer geldig.',
  'error.processing-failed.title': 'Deze 3D-weergave kan niet worden getoond.',
  'error.processing-failed.advice':
    'Het bestand van het ontwerp kon niet worden verwerkt. De API meldt de reden aan de eigenaar van het ontwerp.',
  'error.refused.title': 'Deze 3D-weergave is hier niet beschikbaar.',
  'error.refused.advice': 'De dienst heeft een bestand van het ontwerp geweigerd.',
  'error.unavailable.title': 'Deze 3D-weergave is op dit moment niet beschikbaar.',
  'error.unavailable.text': 'Probeer het over een ogenblik opnieuw.',
  'error.unavailable.advice': 'De dienst kan een bestand van het ontwerp niet verzenden.',
  'error.invalid-file.title': 'Deze 3D-weergave kan niet worden getoond.',
  'error.invalid-file.advice': 'Het bestand is beschadigd of is geen geldig glTF 2.0.',
  'error.unsupported-extension.title': 'Deze 3D-weergave kan niet worden getoond.',
  'error.unsupported-extension.advice':
    'Het bestand heeft glTF-extensies nodig die deze viewer niet ondersteunt: {extensions}.',
  'error.missing-resource.title': 'Deze 3D-weergave kan niet worden getoond.',
  'error.missing-resource.advice': 'Het bestand verwijst naar “{uri}”, dat ontbreekt.',
  'error.empty-scene.title': 'Deze 3D-weergave is leeg.',
  'error.empty-scene.advice': 'Het bestand is geldig, maar bevat niets zichtbaars.',
  'error.no-webgl.title': 'Deze browser kan geen 3D tonen.',
  'error.no-webgl.text': 'Probeer een andere browser of een ander apparaat.',
  'error.no-webgl.advice': 'WebGL 2 is niet beschikbaar of is uitgeschakeld.',
  'error.context-lost.title': 'De 3D-weergave is gestopt.',
  'error.context-lost.text': 'De browser heeft de grafische weergave gestopt.',
  'error.context-lost.advice': 'De WebGL-context is verloren gegaan en kon niet worden hersteld.',
  'error.failed.title': 'Deze 3D-weergave kan niet worden getoond.',
  'error.failed.advice': 'Er is een onverwachte fout opgetreden.',

  'errorPage.documentTitle': '3D-weergave',
  'errorPage.title': 'Deze 3D-weergave is hier niet beschikbaar.',
  'errorPage.title.request.rate-limited': 'Deze 3D-weergave is op dit moment niet beschikbaar.',
  'errorPage.title.embed.preview-link': 'Deze voorbeeldlink werkt niet of niet meer.',
  'errorPage.title.design.not-shared': 'Deze 3D-weergave wordt niet of niet meer gedeeld.',
  'errorPage.title.design.not-ready': 'Deze 3D-weergave wordt voorbereid.',
  'errorPage.title.server.failed': 'Deze 3D-weergave is op dit moment niet beschikbaar.',
  'errorPage.title.server.damaged': 'Deze 3D-weergave is op dit moment niet beschikbaar.',
  'errorPage.retrying': 'Deze pagina probeert het automatisch opnieuw.',
  'errorPage.learnMore': 'Wat dit betekent',
  'errorPage.advice.request.ambiguous-host':
    'Het verzoek noemt meer dan één host. Controleer de proxy voor de dienst.',
  'errorPage.advice.request.wrong-host':
    'De dienst heeft dit adres niet. Maak de HTML opnieuw en wijzig de URL erin niet.',
  'errorPage.advice.request.not-acceptable':
    'De browser, of een proxy, accepteert HTML noch JSON. Controleer wat de Accept-header wijzigt.',
  'errorPage.advice.request.rate-limited':
    'Vanaf dit netwerk zijn te veel 3D-weergaven opgevraagd. Wacht een minuut en laad de pagina opnieuw. Een proxy vóór de dienst moet in CLOCHE_TRUSTED_PROXIES staan.',
  'errorPage.advice.token.missing':
    'De URL van het iframe heeft geen token. Maak er een en schrijf het achter “?token=”.',
  'errorPage.advice.embed.placeholder':
    'De HTML bevat nog CLOCHE_EMBED_TOKEN. Vervang dit door een token dat alleen mag insluiten en deze site bevat.',
  'errorPage.advice.token.malformed':
    'Het token in de URL van het iframe is onvolledig of verkeerd getypt. Kopieer het opnieuw.',
  'errorPage.advice.embed.secret-token':
    'Deze pagina bevat een geheim token, en iedereen kan de pagina lezen. Trek het token nu in en gebruik er een dat alleen mag insluiten.',
  'errorPage.advice.token.unknown':
    'Het token in de URL van het iframe bestaat niet op deze dienst. Kopieer het opnieuw of maak er een.',
  'errorPage.advice.token.revoked':
    'Het token in de URL van het iframe is ingetrokken. Maak een ander token en vervang het in de HTML.',
  'errorPage.advice.token.expired':
    'Het token in de URL van het iframe is verlopen. Maak een ander token en vervang het in de HTML.',
  'errorPage.advice.token.user-disabled':
    'De gebruiker van het token in de URL van het iframe is uitgeschakeld. Neem contact op met de beheerder van de dienst.',
  'errorPage.advice.token.design':
    'Het token in de URL van het iframe is beperkt tot andere ontwerpen. Maak er een voor dit ontwerp.',
  'errorPage.advice.embed.prefetch':
    'De browser heeft de 3D-weergave vooraf opgevraagd. Ze wordt geladen als de pagina wordt getoond; er hoeft niets te worden gewijzigd.',
  'errorPage.advice.embed.not-an-iframe':
    'Deze URL werkt alleen in een iframe. Plak de HTML in een pagina, in plaats van de URL te openen of ernaar te linken.',
  'errorPage.advice.embed.origin':
    'Deze pagina staat op {origin}, en het token in de URL van het iframe bevat deze origin niet. Als de 3D-weergave daar mag worden getoond, voeg {origin} dan toe aan de origins van het token.',
  'errorPage.advice.embed.origin.unnamed':
    'De pagina rond het iframe heeft geen origin die een token kan bevatten: ze staat in een frame met sandbox, is van schijf geopend of heeft een IPv6-adres. Bied haar aan op een site die het token bevat.',
  'errorPage.advice.embed.unverified-origin':
    'De browser heeft niet gemeld welke pagina de 3D-weergave toont. Laat referrerpolicy="strict-origin" op het iframe staan en controleer dat geen proxy de headers Referer en Sec-Fetch-Dest verwijdert.',
  'errorPage.advice.embed.preview-link':
    'De link is onvolledig, of de tien minuten zijn voorbij. Maak een nieuwe.',
  'errorPage.advice.design.unknown':
    'Het ontwerp bestaat niet of is verwijderd. Verwijder de HTML, of vervang deze door die van een ander ontwerp.',
  'errorPage.advice.design.not-shared':
    'Het ontwerp bestaat niet, of de eigenaar deelt het niet meer met iedereen. Verwijder de HTML, of neem contact op met de eigenaar.',
  'errorPage.advice.design.failed':
    'Het bestand van het ontwerp kon niet worden verwerkt. De API meldt de reden aan de eigenaar van het ontwerp.',
  'errorPage.advice.design.not-ready':
    'Het bestand van het ontwerp wordt verwerkt. Dit duurt enkele seconden.',
  'errorPage.advice.server.failed':
    'Er is een interne fout opgetreden. Deze staat in het logboek van de dienst, onder het id in de header X-Request-Id van dit antwoord.',
  'errorPage.advice.server.damaged':
    'De gegevens van het token of het ontwerp zijn beschadigd. Maak een ander token, of neem contact op met de beheerder van de dienst.',

  'snippet.genericName': '3D-weergave',

  'sharePage.title': '{name} · 3D-weergave',

  'previewPage.title': 'Voorbeeld',
  'previewPage.validity': 'Voorbeeld. Deze link werkt tot {time}.',
};
