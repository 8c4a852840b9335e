/** Portuguese, as in Brazil. en.ts describes the keys. */
export const pt: Readonly<Record<string, string>> = {
  'view.roleDescription': 'design 3D',
  'view.keyboardHelp':
    'Gire com as teclas de seta, mova com Shift e as teclas de seta, use o zoom com mais e menos, redefina com R, ajuda com o ponto de interrogação.',
  'view.keyboardHelpOrbit':
    'Gire com as teclas de seta, redefina com R, ajuda com o ponto de interrogação.',
  'view.reset': 'Redefinir a vista',
  'view.zoomIn': 'Aproximar',
  'view.zoomOut': 'Afastar',
  'view.rotateLeft': 'Girar para a esquerda',
  'view.rotateRight': 'Girar para a direita',
  'view.rotateUp': 'Girar para cima',
  'view.rotateDown': 'Girar para baixo',
  'view.fromTop': 'Vista de cima',
  'view.fromBelow': 'Vista de baixo',
  'view.fromSide': 'Vista: {direction}',
  'view.fromSideAbove': 'Vista: {direction}, de cima',
  'view.fromSideBelow': 'Vista: {direction}, de baixo',
  'view.left': '{angle} à esquerda',
  'view.right': '{angle} à direita',
  'view.up': '{angle} para cima',
  'view.down': '{angle} para baixo',
  'view.zoom': 'Zoom: {percent}',
  'view.moved': 'Vista deslocada',
  'view.default': 'Vista padrão',

  'direction.front': 'frente',
  'direction.frontRight': 'frente à direita',
  'direction.right': 'direita',
  'direction.backRight': 'trás à direita',
  'direction.back': 'trás',
  'direction.backLeft': 'trás à esquerda',
  'direction.left': 'esquerda',
  'direction.frontLeft': 'frente à esquerda',

  'hint.zoom': '{key} + rolagem para o zoom',
  'hint.touch': 'Use dois dedos para mover o modelo',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Controles',
  'toolbar.more': 'Mais',
  'toolbar.close': 'Fechar',

  'help.title': 'Ajuda',
  'help.rotate': 'Girar',
  'help.zoom': 'Zoom',
  'help.move': 'Mover',
  'help.focus': 'Ver um ponto de perto',
  'help.scroll': 'Rolar a página',
  'help.mouse': 'Mouse',
  'help.mouse.rotate': 'Arrastar',
  'help.mouse.zoom': '{key} + roda do mouse',
  'help.mouse.zoomPlain': 'Roda do mouse',
  'help.mouse.move': 'Arrastar com o botão direito',
  'help.mouse.focus': 'Clicar duas vezes',
  'help.touch': 'Toque',
  'help.touch.rotate': 'Deslizar para os lados',
  'help.touch.zoom': 'Pinçar',
  'help.touch.move': 'Arrastar com dois dedos',
  'help.touch.focus': 'Tocar duas vezes',
  'help.touch.scroll': 'Deslizar para cima ou para baixo',
  'help.keyboard': 'Teclado',
  'help.keyboard.rotate': 'Teclas de seta',
  'help.keyboard.zoom': '+ e −',
  'help.keyboard.move': 'Shift + teclas de seta',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab e depois teclas de seta',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'Carregando',
  'loading.start': 'Carregar a vista 3D',

  'previewNotice.text': 'Só foi possível carregar uma prévia.',

  'animation.play': 'Reproduzir a animação',
  'animation.pause': 'Pausar a animação',

  'animations.label': 'Animações',
  'animations.time': 'Tempo',
  'animations.position': '{time} de {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Pausar a rotação',
  'rotation.resume': 'Retomar a rotação',

  'variants.label': 'Variantes',
  'variants.selected': 'Variante: {name}',
  'variants.original': 'Versão original',

  'parts.label': 'Peças',
  'parts.unnamed': 'Peça {number}',
  'parts.search': 'Buscar peças',
  'parts.noneFound': 'Nenhuma peça encontrada',
  'parts.found': '{count, plural, one {# peça encontrada} other {# peças encontradas}}',
  'parts.isolate': 'Mostrar só esta',
  'parts.showAll': 'Mostrar tudo',
  'parts.shown': '{name}: visível',
  'parts.hidden': '{name}: oculta',
  'parts.isolated': 'Só {name} está visível',
  'parts.allShown': 'Todas as peças estão visíveis',

  'fullscreen.enter': 'Tela cheia',
  'fullscreen.exit': 'Sair da tela cheia',

  'recovery.retry': 'Tentar novamente',
  'recovery.reload': 'Recarregar',

  forAuthor: 'Para o autor do site',

  'refused.title': 'Esta vista 3D não está disponível aqui.',
  'refused.topLevel.advice':
    'Esta URL só funciona em um iframe. Cole o HTML em uma página, em vez de abrir a URL ou criar um link para ela.',
  'refused.ancestor.advice':
    'Uma página em volta deste iframe está em {origin}, e o token na URL do iframe não contém essa origem. Se a vista 3D pode ser mostrada ali, adicione {origin} às origens do token.',
  'refused.hiddenAncestor.advice':
    'Uma página em volta deste iframe oculta a sua origem, e o token na URL do iframe contém uma origem http. Os navegadores não distinguem http de https quando verificam páginas ocultas. Remova referrerpolicy="no-referrer" dos iframes, ou indique apenas origens https.',

  'start.failed.title': 'Não foi possível carregar a vista 3D.',
  'start.failed.text': 'Verifique a sua conexão.',
  'start.failed.advice':
    'Um script do visualizador não foi executado. A conexão falhou, ou uma extensão ou um proxy o bloqueia: {reason}',
  'start.slow.title': 'A vista 3D ainda está carregando.',
  'start.slow.text': 'A conexão está lenta ou foi perdida.',
  'start.slow.advice': 'Os scripts do visualizador não chegaram depois de 15 segundos.',
  'start.offline.text': 'Ainda não há conexão.',
  'start.sandbox.advice':
    'O iframe tem o atributo sandbox sem allow-same-origin e, por isso, não pode carregar os seus arquivos. Adicione allow-same-origin e allow-scripts ao atributo, ou remova-o.',
  'start.noScript.text': 'Ela precisa de JavaScript, que está desativado aqui.',
  'start.noScript.advice':
    'Nenhum script deste iframe foi executado. Se o iframe tem o atributo sandbox, ele deve conter allow-scripts e allow-same-origin. Caso contrário, a conexão falhou, ou uma extensão ou um proxy bloqueia os scripts.',

  'error.offline.title': 'Não foi possível carregar a vista 3D.',
  'error.offline.text': 'Verifique a sua conexão.',
  'error.offline.advice': 'Não foi possível solicitar um arquivo do design.',
  'error.interrupted.title': 'Não foi possível carregar a vista 3D.',
  'error.interrupted.text': 'A conexão foi perdida.',
  'error.interrupted.advice': 'Um arquivo do design chegou apenas em parte.',
  'error.script.title': 'Não foi possível carregar a vista 3D.',
  'error.script.text': 'Verifique a sua conexão.',
  'error.script.advice': 'Não foi possível carregar um script do visualizador.',
  'error.controls.title': 'Não foi possível carregar os controles.',
  'error.controls.advice': 'Não foi possível carregar o script dos controles.',
  'error.grant-expired.title': 'Não foi possível carregar a vista 3D.',
  'error.grant-expired.text': 'Esta página está aberta há muito tempo.',
  'error.grant-expired.advice': 'A autorização de acesso deste documento não é mais válida.',
  'error.processing-failed.title': 'Esta vista 3D não pode ser mostrada.',
  'error.processing-failed.advice':
    'Não foi possível processar o arquivo do design. A API informa o motivo ao proprietário do design.',
  'error.refused.title': 'Esta vista 3D não está disponível aqui.',
  'error.refused.advice': 'O serviço recusou um arquivo do design.',
  'error.unavailable.title': 'Esta vista 3D não está disponível no momento.',
  'error.unavailable.text': 'Tente novamente em instantes.',
  'error.unavailable.advice': 'O serviço não pode enviar um arquivo do design.',
  'error.invalid-file.title': 'Esta vista 3D não pode ser mostrada.',
  'error.invalid-file.advice': 'O arquivo está danificado ou não é um glTF 2.0 válido.',
  'error.unsupported-extension.title': 'Esta vista 3D não pode ser mostrada.',
  'error.unsupported-extension.advice':
    'O arquivo precisa de extensões glTF que este visualizador não suporta: {extensions}.',
  'error.missing-resource.title': 'Esta vista 3D não pode ser mostrada.',
  'error.missing-resource.advice': 'O arquivo faz referência a “{uri}”, que está ausente.',
  'error.empty-scene.title': 'Esta vista 3D está vazia.',
  'error.empty-scene.advice': 'O arquivo é válido, mas não contém nada visível.',
  'error.no-webgl.title': 'Este navegador não consegue mostrar 3D.',
  'error.no-webgl.text': 'Tente outro navegador ou dispositivo.',
  'error.no-webgl.advice': 'O WebGL 2 não está disponível ou está desativado.',
  'error.context-lost.title': 'A vista 3D parou.',
  'error.context-lost.text': 'O navegador parou os seus gráficos.',
  'error.context-lost.advice': 'O contexto WebGL foi perdido e não pôde ser restaurado.',
  'error.failed.title': 'Esta vista 3D não pode ser mostrada.',
  'error.failed.advice': 'Ocorreu um erro inesperado.',

  'errorPage.documentTitle': 'Vista 3D',
  'errorPage.title': 'Esta vista 3D não está disponível aqui.',
  'errorPage.title.request.rate-limited': 'Esta vista 3D não está disponível no momento.',
  'errorPage.title.embed.preview-link': 'Este link de prévia não funciona ou não funciona mais.',
  'errorPage.title.design.not-shared': 'Esta vista 3D não está compartilhada ou não está mais.',
  'errorPage.title.design.not-ready': 'Esta vista 3D está sendo preparada.',
  'errorPage.title.server.failed': 'Esta vista 3D não está disponível no momento.',
  'errorPage.title.server.damaged': 'Esta vista 3D não está disponível no momento.',
  'errorPage.retrying': 'Esta página tenta novamente de forma automática.',
  'errorPage.learnMore': 'O que isto significa',
  'errorPage.advice.request.ambiguous-host':
    'A solicitação indica mais de um host. Verifique o proxy na frente do serviço.',
  'errorPage.advice.request.wrong-host':
    'O serviço não tem este endereço. Crie o HTML novamente e não altere a URL que ele contém.',
  'errorPage.advice.request.not-acceptable':
    'O navegador, ou um proxy, não aceita nem HTML nem JSON. Verifique o que altera o cabeçalho Accept.',
  'errorPage.advice.request.rate-limited':
    'Foram solicitadas demasiadas visualizações 3D a partir desta rede. Aguarde um minuto e recarregue a página. Um proxy à frente do serviço deve constar em CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'A URL do iframe não tem token. Crie um e escreva-o depois de “?token=”.',
  'errorPage.advice.embed.placeholder':
    'O HTML ainda contém CLOCHE_EMBED_TOKEN. Substitua-o por um token que só permite incorporar e que contém este site.',
  'errorPage.advice.token.malformed':
    'O token na URL do iframe está incompleto ou digitado incorretamente. Copie-o novamente.',
  'errorPage.advice.embed.secret-token':
    'Esta página contém um token secreto, e todos podem ler a página. Revogue o token agora e use um que só permite incorporar.',
  'errorPage.advice.token.unknown':
    'O token na URL do iframe não existe neste serviço. Copie-o novamente ou crie um.',
  'errorPage.advice.token.revoked':
    'O token na URL do iframe foi revogado. Crie outro e substitua-o no HTML.',
  'errorPage.advice.token.expired':
    'O token na URL do iframe expirou. Crie outro e substitua-o no HTML.',
  'errorPage.advice.token.user-disabled':
    'O usuário do token na URL do iframe está desativado. Consulte o operador do serviço.',
  'errorPage.advice.token.design':
    'O token na URL do iframe está limitado a outros designs. Crie um para este design.',
  'errorPage.advice.embed.prefetch':
    'O navegador solicitou a vista 3D com antecedência. Ela é carregada quando a página é mostrada; nada precisa ser alterado.',
  'errorPage.advice.embed.not-an-iframe':
    'Esta URL só funciona em um iframe. Cole o HTML em uma página, em vez de abrir a URL ou criar um link para ela.',
  'errorPage.advice.embed.origin':
    'Esta página está em {origin}, e o token na URL do iframe não contém essa origem. Se a vista 3D pode ser mostrada ali, adicione {origin} às origens do token.',
  'errorPage.advice.embed.origin.unnamed':
    'A página em volta do iframe não tem uma origem que um token possa conter: está em um quadro com sandbox, foi aberta do disco ou está em um endereço IPv6. Publique-a em um site que o token contém.',
  'errorPage.advice.embed.unverified-origin':
    'O navegador não informou qual página mostra a vista 3D. Mantenha referrerpolicy="strict-origin" no iframe e verifique se nenhum proxy remove os cabeçalhos Referer e Sec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link':
    'O link está incompleto, ou os seus dez minutos terminaram. Crie outro.',
  'errorPage.advice.design.unknown':
    'O design não existe ou foi excluído. Remova o HTML, ou substitua-o pelo de outro design.',
  'errorPage.advice.design.not-shared':
    'O design não existe, ou o proprietário não o compartilha mais com todos. Remova o HTML, ou consulte o proprietário.',
  'errorPage.advice.design.failed':
    'Não foi possível processar o arquivo do design. A API informa o motivo ao proprietário do design.',
  'errorPage.advice.design.not-ready':
    'O arquivo do design está sendo processado. Isso leva alguns segundos.',
  'errorPage.advice.server.failed':
    'Ocorreu um erro interno. Ele está no log do serviço, com o identificador do cabeçalho X-Request-Id desta resposta.',
  'errorPage.advice.server.damaged':
    'Os dados do token ou do design estão danificados. Crie outro token, ou consulte o operador do serviço.',

  'snippet.genericName': 'Vista 3D',

  'sharePage.title': '{name} · Vista 3D',

  'previewPage.title': 'Prévia',
  'previewPage.validity': 'Prévia. Este link funciona até {time}.',
};
