/** Polish. Instructions are impersonal. en.ts describes the keys. */
export const pl: Readonly<Record<string, string>> = {
  'view.roleDescription': 'projekt 3D',
  'view.keyboardHelp':
    'Obracanie: klawisze strzałek, przesuwanie: Shift i klawisze strzałek, powiększanie: plus i minus, resetowanie: R, pomoc: znak zapytania.',
  'view.keyboardHelpOrbit': 'Obracanie: klawisze strzałek, resetowanie: R, pomoc: znak zapytania.',
  'view.reset': 'Resetuj widok',
  'view.zoomIn': 'Powiększ',
  'view.zoomOut': 'Pomniejsz',
  'view.rotateLeft': 'Obróć w lewo',
  'view.rotateRight': 'Obróć w prawo',
  'view.rotateUp': 'Obróć w górę',
  'view.rotateDown': 'Obróć w dół',
  'view.fromTop': 'Widok z góry',
  'view.fromBelow': 'Widok z dołu',
  'view.fromSide': 'Widok {direction}',
  'view.fromSideAbove': 'Widok {direction} i z góry',
  'view.fromSideBelow': 'Widok {direction} i z dołu',
  'view.left': '{angle} w lewo',
  'view.right': '{angle} w prawo',
  'view.up': '{angle} w górę',
  'view.down': '{angle} w dół',
  'view.zoom': 'Powiększenie: {percent}',
  'view.moved': 'Widok przesunięty',
  'view.default': 'Widok domyślny',

  'direction.front': 'z przodu',
  'direction.frontRight': 'z przodu z prawej',
  'direction.right': 'z prawej',
  'direction.backRight': 'z tyłu z prawej',
  'direction.back': 'z tyłu',
  'direction.backLeft': 'z tyłu z lewej',
  'direction.left': 'z lewej',
  'direction.frontLeft': 'z przodu z lewej',

  'hint.zoom': '{key} + przewijanie, aby powiększyć',
  'hint.touch': 'Model można przesuwać dwoma palcami',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Elementy sterujące',
  'toolbar.more': 'Więcej',
  'toolbar.close': 'Zamknij',

  'help.title': 'Pomoc',
  'help.rotate': 'Obracanie',
  'help.zoom': 'Powiększanie',
  'help.move': 'Przesuwanie',
  'help.focus': 'Przybliżenie punktu',
  'help.scroll': 'Przewijanie strony',
  'help.mouse': 'Mysz',
  'help.mouse.rotate': 'Przeciągnięcie',
  'help.mouse.zoom': '{key} + kółko myszy',
  'help.mouse.zoomPlain': 'Kółko myszy',
  'help.mouse.move': 'Przeciągnięcie prawym przyciskiem',
  'help.mouse.focus': 'Dwukrotne kliknięcie',
  'help.touch': 'Dotyk',
  'help.touch.rotate': 'Przesunięcie w bok',
  'help.touch.zoom': 'Ściągnięcie palców',
  'help.touch.move': 'Przeciągnięcie dwoma palcami',
  'help.touch.focus': 'Dwukrotne dotknięcie',
  'help.touch.scroll': 'Przesunięcie w górę lub w dół',
  'help.keyboard': 'Klawiatura',
  'help.keyboard.rotate': 'Klawisze strzałek',
  'help.keyboard.zoom': '+ i −',
  'help.keyboard.move': 'Shift + klawisze strzałek',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, potem klawisze strzałek',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Ładowanie',
  'loading.start': 'Załaduj widok 3D',

  'previewNotice.text': 'Udało się załadować tylko podgląd.',

  'animation.play': 'Odtwórz animację',
  'animation.pause': 'Wstrzymaj animację',

  'animations.label': 'Animacje',
  'animations.time': 'Czas',
  'animations.position': '{time} z {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Wstrzymaj obracanie',
  'rotation.resume': 'Wznów obracanie',

  'variants.label': 'Warianty',
  'variants.selected': 'Wariant: {name}',
  'variants.original': 'Oryginał',

  'parts.label': 'Części',
  'parts.unnamed': 'Część {number}',
  'parts.search': 'Szukaj części',
  'parts.noneFound': 'Nie znaleziono części',
  'parts.found':
    '{count, plural, one {Znaleziono # część} few {Znaleziono # części} many {Znaleziono # części} other {Znaleziono # części}}',
  'parts.isolate': 'Pokaż tylko tę część',
  'parts.showAll': 'Pokaż wszystkie',
  'parts.shown': '{name}: widoczna',
  'parts.hidden': '{name}: ukryta',
  'parts.isolated': 'Widoczna tylko część {name}',
  'parts.allShown': 'Widoczne są wszystkie części',

  'fullscreen.enter': 'Pełny ekran',
  'fullscreen.exit': 'Zamknij pełny ekran',

  'recovery.retry': 'Spróbuj ponownie',
  'recovery.reload': 'Załaduj ponownie',

  forAuthor: 'Dla autora strony',

  'refused.title': 'Ten widok 3D nie jest tutaj dostępny.',
  'refused.topLevel.advice':
    'Ten adres URL działa tylko w elemencie iframe. Należy wkleić kod HTML na stronę, zamiast otwierać adres URL lub tworzyć do niego link.',
  'refused.ancestor.advice':
    'Strona wokół tego elementu iframe znajduje się pod {origin}, a token w adresie URL elementu iframe nie zawiera tego źródła. Jeśli widok 3D może być tam pokazywany, należy dodać {origin} do źródeł tokenu.',
  'refused.hiddenAncestor.advice':
    'Strona wokół tego elementu iframe ukrywa swoje źródło, a token w adresie URL elementu iframe zawiera źródło http. Przeglądarki nie rozróżniają http i https, gdy sprawdzają ukryte strony. Należy usunąć referrerpolicy="no-referrer" z elementów iframe albo podać tylko źródła https.',

  'start.failed.title': 'Nie udało się załadować widoku 3D.',
  'start.failed.text': 'Należy sprawdzić połączenie.',
  'start.failed.advice':
    'Skrypt przeglądarki 3D nie został uruchomiony. Połączenie nie powiodło się albo blokuje go rozszerzenie lub serwer proxy: {reason}',
  'start.slow.title': 'Widok 3D nadal się ładuje.',
  'start.slow.text': 'Połączenie jest wolne lub zostało utracone.',
  'start.slow.advice': 'Skrypty przeglądarki 3D nie dotarły po 15 sekundach.',
  'start.offline.text': 'Nadal nie ma połączenia.',
  'start.sandbox.advice':
    'Element iframe ma atrybut sandbox bez allow-same-origin, więc nie może załadować swoich plików. Należy dodać do atrybutu allow-same-origin i allow-scripts albo go usunąć.',
  'start.noScript.text': 'Wymaga języka JavaScript, który jest tutaj wyłączony.',
  'start.noScript.advice':
    'Żaden skrypt tego elementu iframe nie został uruchomiony. Jeśli element iframe ma atrybut sandbox, musi on zawierać allow-scripts i allow-same-origin. W przeciwnym razie połączenie nie powiodło się albo rozszerzenie lub serwer proxy blokuje skrypty.',

  'error.offline.title': 'Nie udało się załadować widoku 3D.',
  'error.offline.text': 'Należy sprawdzić połączenie.',
  'error.offline.advice': 'Nie udało się zażądać pliku projektu.',
  'error.interrupted.title': 'Nie udało się załadować widoku 3D.',
  'error.interrupted.text': 'Połączenie zostało utracone.',
  'error.interrupted.advice': 'Plik projektu dotarł tylko częściowo.',
  'error.script.title': 'Nie udało się załadować widoku 3D.',
  'error.script.text': 'Należy sprawdzić połączenie.',
  'error.script.advice': 'Nie udało się załadować skryptu przeglądarki 3D.',
  'error.controls.title': 'Nie udało się załadować elementów sterujących.',
  'error.controls.advice': 'Nie udało się załadować skryptu z elementami sterującymi.',
  'error.grant-expired.title': 'Nie udało się załadować widoku 3D.',
  'error.grant-expired.text': 'Ta strona jest otwarta od dłuższego czasu.',
  'error.grant-expired.advice': 'Uprawnienie dostępu tego dokumentu nie jest już ważne.',
  'error.processing-failed.title': 'Nie można wyświetlić tego widoku 3D.',
  'error.processing-failed.advice':
    'Nie udało się przetworzyć pliku projektu. API podaje przyczynę właścicielowi projektu.',
  'error.refused.title': 'Ten widok 3D nie jest tutaj dostępny.',
  'error.refused.advice': 'Usługa odmówiła dostępu do pliku projektu.',
  'error.unavailable.title': 'Ten widok 3D jest w tej chwili niedostępny.',
  'error.unavailable.text': 'Proszę spróbować za chwilę.',
  'error.unavailable.advice': 'Usługa nie może wysłać pliku projektu.',
  'error.invalid-file.title': 'Nie można wyświetlić tego widoku 3D.',
  'error.invalid-file.advice': 'Plik jest uszkodzony lub nie jest prawidłowym plikiem glTF 2.0.',
  'error.unsupported-extension.title': 'Nie można wyświetlić tego widoku 3D.',
  'error.unsupported-extension.advice':
    'Plik wymaga rozszerzeń glTF, których ta przeglądarka 3D nie obsługuje: {extensions}.',
  'error.missing-resource.title': 'Nie można wyświetlić tego widoku 3D.',
  'error.missing-resource.advice': 'Plik odwołuje się do „{uri}”, którego brakuje.',
  'error.empty-scene.title': 'Ten widok 3D jest pusty.',
  'error.empty-scene.advice': 'Plik jest prawidłowy, ale nie zawiera nic widocznego.',
  'error.no-webgl.title': 'Ta przeglądarka nie może wyświetlać grafiki 3D.',
  'error.no-webgl.text': 'Można spróbować w innej przeglądarce lub na innym urządzeniu.',
  'error.no-webgl.advice': 'WebGL 2 jest niedostępny lub wyłączony.',
  'error.context-lost.title': 'Widok 3D został zatrzymany.',
  'error.context-lost.text': 'Przeglądarka zatrzymała wyświetlanie grafiki.',
  'error.context-lost.advice': 'Kontekst WebGL został utracony i nie udało się go przywrócić.',
  'error.failed.title': 'Nie można wyświetlić tego widoku 3D.',
  'error.failed.advice': 'Wystąpił nieoczekiwany błąd.',

  'errorPage.documentTitle': 'Widok 3D',
  'errorPage.title': 'Ten widok 3D nie jest tutaj dostępny.',
  'errorPage.title.request.rate-limited': 'Ten widok 3D jest w tej chwili niedostępny.',
  'errorPage.title.embed.preview-link': 'Ten link do podglądu nie działa lub przestał działać.',
  'errorPage.title.design.not-shared':
    'Ten widok 3D nie jest udostępniony lub przestał być udostępniany.',
  'errorPage.title.design.not-ready': 'Ten widok 3D jest przygotowywany.',
  'errorPage.title.server.failed': 'Ten widok 3D jest w tej chwili niedostępny.',
  'errorPage.title.server.damaged': 'Ten widok 3D jest w tej chwili niedostępny.',
  'errorPage.retrying': 'Ta strona automatycznie próbuje ponownie.',
  'errorPage.learnMore': 'Co to oznacza',
  'errorPage.advice.request.ambiguous-host':
    'Żądanie podaje więcej niż jednego hosta. Należy sprawdzić serwer proxy przed usługą.',
  'errorPage.advice.request.wrong-host':
    'Usługa nie ma tego adresu. Należy ponownie utworzyć kod HTML i nie zmieniać w nim adresu URL.',
  'errorPage.advice.request.not-acceptable':
    'Przeglądarka lub serwer proxy nie akceptuje ani HTML, ani JSON. Należy sprawdzić, co zmienia nagłówek Accept.',
  'errorPage.advice.request.rate-limited':
    'Z tej sieci zażądano zbyt wielu widoków 3D. Poczekaj minutę i odśwież stronę. Serwer proxy przed usługą musi być wymieniony w CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'Adres URL elementu iframe nie ma tokenu. Należy go utworzyć i wpisać po „?token=”.',
  'errorPage.advice.embed.placeholder':
    'Kod HTML nadal zawiera CLOCHE_EMBED_TOKEN. Należy zastąpić to tokenem, który pozwala tylko na osadzanie i zawiera tę witrynę.',
  'errorPage.advice.token.malformed':
    'Token w adresie URL elementu iframe jest niepełny lub błędnie wpisany. Należy skopiować go ponownie.',
  'errorPage.advice.embed.secret-token':
    'Ta strona zawiera tajny token, a każdy może ją odczytać. Należy natychmiast unieważnić token i użyć takiego, który pozwala tylko na osadzanie.',
  'errorPage.advice.token.unknown':
    'Token w adresie URL elementu iframe nie istnieje w tej usłudze. Należy skopiować go ponownie lub utworzyć nowy.',
  'errorPage.advice.token.revoked':
    'Token w adresie URL elementu iframe został unieważniony. Należy utworzyć inny i zastąpić go w kodzie HTML.',
  'errorPage.advice.token.expired':
    'Token w adresie URL elementu iframe wygasł. Należy utworzyć inny i zastąpić go w kodzie HTML.',
  'errorPage.advice.token.user-disabled':
    'Użytkownik tokenu w adresie URL elementu iframe jest wyłączony. Należy zwrócić się do operatora usługi.',
  'errorPage.advice.token.design':
    'Token w adresie URL elementu iframe jest ograniczony do innych projektów. Należy utworzyć token dla tego projektu.',
  'errorPage.advice.embed.prefetch':
    'Przeglądarka zażądała widoku 3D z wyprzedzeniem. Załaduje się on po wyświetleniu strony; niczego nie trzeba zmieniać.',
  'errorPage.advice.embed.not-an-iframe':
    'Ten adres URL działa tylko w elemencie iframe. Należy wkleić kod HTML na stronę, zamiast otwierać adres URL lub tworzyć do niego link.',
  'errorPage.advice.embed.origin':
    'Ta strona znajduje się pod {origin}, a token w adresie URL elementu iframe nie zawiera tego źródła. Jeśli widok 3D może być tam pokazywany, należy dodać {origin} do źródeł tokenu.',
  'errorPage.advice.embed.origin.unnamed':
    'Strona wokół elementu iframe nie ma źródła, które token może zawierać: jest w ramce z atrybutem sandbox, została otwarta z dysku lub ma adres IPv6. Należy udostępnić ją w witrynie, którą token zawiera.',
  'errorPage.advice.embed.unverified-origin':
    'Przeglądarka nie podała, która strona pokazuje widok 3D. Należy zachować referrerpolicy="strict-origin" w elemencie iframe i sprawdzić, czy serwer proxy nie usuwa nagłówków Referer i Sec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link':
    'Link jest niepełny albo minęło jego dziesięć minut. Należy utworzyć nowy.',
  'errorPage.advice.design.unknown':
    'Projekt nie istnieje lub został usunięty. Należy usunąć kod HTML albo zastąpić go kodem innego projektu.',
  'errorPage.advice.design.not-shared':
    'Projekt nie istnieje lub jego właściciel nie udostępnia go już wszystkim. Należy usunąć kod HTML lub zwrócić się do właściciela.',
  'errorPage.advice.design.failed':
    'Nie udało się przetworzyć pliku projektu. API podaje przyczynę właścicielowi projektu.',
  'errorPage.advice.design.not-ready': 'Plik projektu jest przetwarzany. Potrwa to kilka sekund.',
  'errorPage.advice.server.failed':
    'Wystąpił błąd wewnętrzny. Znajduje się w dzienniku usługi pod identyfikatorem z nagłówka X-Request-Id tej odpowiedzi.',
  'errorPage.advice.server.damaged':
    'Dane tokenu lub projektu są uszkodzone. Należy utworzyć inny token lub zwrócić się do operatora usługi.',

  'snippet.genericName': 'Widok 3D',

  'sharePage.title': '{name} · Widok 3D',

  'previewPage.title': 'Podgląd',
  'previewPage.validity': 'Podgląd. Ten link działa do {time}.',
};
