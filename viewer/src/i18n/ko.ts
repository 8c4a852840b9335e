/** Korean, in formal polite style. en.ts describes the keys. */
export const ko: Readonly<Record<string, string>> = {
  'view.roleDescription': '3D 디자인',
  'view.keyboardHelp':
    '화살표 키로 회전, Shift와 화살표 키로 이동, 더하기와 빼기로 확대/축소, R로 초기화, 물음표로 도움말을 엽니다.',
  'view.keyboardHelpOrbit': '화살표 키로 회전, R로 초기화, 물음표로 도움말을 엽니다.',
  'view.reset': '보기 초기화',
  'view.zoomIn': '확대',
  'view.zoomOut': '축소',
  'view.rotateLeft': '왼쪽으로 회전',
  'view.rotateRight': '오른쪽으로 회전',
  'view.rotateUp': '위로 회전',
  'view.rotateDown': '아래로 회전',
  'view.fromTop': '위에서 본 모습',
  'view.fromBelow': '아래에서 본 모습',
  'view.fromSide': '{direction}에서 본 모습',
  'view.fromSideAbove': '{direction} 위에서 본 모습',
  'view.fromSideBelow': '{direction} 아래에서 본 모습',
  'view.left': '왼쪽으로 {angle}',
  'view.right': '오른쪽으로 {angle}',
  'view.up': '위로 {angle}',
  'view.down': '아래로 {angle}',
  'view.zoom': '확대/축소 {percent}',
  'view.moved': '보기를 이동했습니다',
  'view.default': '기본 보기',

  'direction.front': '앞쪽',
  'direction.frontRight': '오른쪽 앞',
  'direction.right': '오른쪽',
  'direction.backRight': '오른쪽 뒤',
  'direction.back': '뒤쪽',
  'direction.backLeft': '왼쪽 뒤',
  'direction.left': '왼쪽',
  'direction.frontLeft': '왼쪽 앞',

  'hint.zoom': '{key} + 스크롤로 확대/축소',
  'hint.touch': '두 손가락으로 모델을 움직일 수 있습니다',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': '컨트롤',
  'toolbar.more': '더 보기',
  'toolbar.close': '닫기',

  'help.title': '도움말',
  'help.rotate': '회전',
  'help.zoom': '확대/축소',
  'help.move': '이동',
  'help.focus': '한 지점을 가까이 보기',
  'help.scroll': '페이지 스크롤',
  'help.mouse': '마우스',
  'help.mouse.rotate': '드래그',
  'help.mouse.zoom': '{key} + 휠',
  'help.mouse.zoomPlain': '휠',
  'help.mouse.move': '오른쪽 버튼으로 드래그',
  'help.mouse.focus': '두 번 클릭',
  'help.touch': '터치',
  'help.touch.rotate': '옆으로 밀기',
  'help.touch.zoom': '손가락 모으기/벌리기',
  'help.touch.move': '두 손가락으로 드래그',
  'help.touch.focus': '두 번 탭',
  'help.touch.scroll': '위아래로 밀기',
  'help.keyboard': '키보드',
  'help.keyboard.rotate': '화살표 키',
  'help.keyboard.zoom': '+ 및 −',
  'help.keyboard.move': 'Shift + 화살표 키',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, 그다음 화살표 키',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': '불러오는 중',
  'loading.start': '3D 보기 불러오기',

  'previewNotice.text': '미리보기만 불러올 수 있었습니다.',

  'animation.play': '애니메이션 재생',
  'animation.pause': '애니메이션 일시 정지',

  'animations.label': '애니메이션',
  'animations.time': '시간',
  'animations.position': '{duration} 중 {time}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': '회전 일시 정지',
  'rotation.resume': '회전 계속',

  'variants.label': '옵션',
  'variants.selected': '옵션: {name}',
  'variants.original': '원본',

  'parts.label': '부품',
  'parts.unnamed': '부품 {number}',
  'parts.search': '부품 검색',
  'parts.noneFound': '부품을 찾을 수 없습니다',
  'parts.found': '{count, plural, other {부품 #개를 찾았습니다}}',
  'parts.isolate': '이것만 표시',
  'parts.showAll': '모두 표시',
  'parts.shown': '{name}: 표시됨',
  'parts.hidden': '{name}: 숨김',
  'parts.isolated': '{name}만 표시됩니다',
  'parts.allShown': '모든 부품이 표시됩니다',

  'fullscreen.enter': '전체 화면',
  'fullscreen.exit': '전체 화면 종료',

  'recovery.retry': '다시 시도',
  'recovery.reload': '새로고침',

  forAuthor: '사이트 작성자용 안내',

  'refused.title': '이 3D 보기는 여기에서 사용할 수 없습니다.',
  'refused.topLevel.advice':
    '이 URL은 iframe 안에서만 작동합니다. URL을 열거나 링크하지 말고 HTML을 페이지에 붙여 넣으십시오.',
  'refused.ancestor.advice':
    '이 iframe을 둘러싼 페이지가 {origin}에 있는데, iframe URL의 토큰에 이 출처가 없습니다. 그곳에서 3D 보기를 표시해도 된다면 토큰의 출처에 {origin}을(를) 추가하십시오.',
  'refused.hiddenAncestor.advice':
    '이 iframe을 둘러싼 페이지가 출처를 숨기고 있으며, iframe URL의 토큰에는 http 출처가 있습니다. 브라우저는 숨겨진 페이지를 확인할 때 http와 https를 구분하지 않습니다. iframe에서 referrerpolicy="no-referrer"를 제거하거나 https 출처만 지정하십시오.',

  'start.failed.title': '3D 보기를 불러올 수 없습니다.',
  'start.failed.text': '연결을 확인하십시오.',
  'start.failed.advice':
    '뷰어의 스크립트가 실행되지 않았습니다. 연결에 실패했거나 확장 프로그램 또는 프록시가 차단하고 있습니다: {reason}',
  'start.slow.title': '3D 보기를 아직 불러오고 있습니다.',
  'start.slow.text': '연결이 느리거나 끊어졌습니다.',
  'start.slow.advice': '15초가 지나도 뷰어의 스크립트가 도착하지 않았습니다.',
  'start.offline.text': '아직 연결되지 않았습니다.',
  'start.sandbox.advice':
    'iframe에 allow-same-origin이 없는 sandbox 속성이 있어 파일을 불러올 수 없습니다. 속성에 allow-same-origin과 allow-scripts를 추가하거나 속성을 제거하십시오.',
  'start.noScript.text': 'JavaScript가 필요하지만 여기에서는 꺼져 있습니다.',
  'start.noScript.advice':
    '이 iframe의 스크립트가 하나도 실행되지 않았습니다. iframe에 sandbox 속성이 있다면 allow-scripts와 allow-same-origin이 있어야 합니다. 그렇지 않다면 연결에 실패했거나 확장 프로그램 또는 프록시가 스크립트를 차단하고 있습니다.',

  'error.offline.title': '3D 보기를 불러올 수 없습니다.',
  'error.offline.text': '연결을 확인하십시오.',
  'error.offline.advice': '디자인의 파일을 요청할 수 없습니다.',
  'error.interrupted.title': '3D 보기를 불러올 수 없습니다.',
  'error.interrupted.text': '연결이 끊어졌습니다.',
  'error.interrupted.advice': '디자인의 파일이 일부만 도착했습니다.',
  'error.script.title': '3D 보기를 불러올 수 없습니다.',
  'error.script.text': '연결을 확인하십시오.',
  'error.script.advice': '뷰어의 스크립트를 불러올 수 없습니다.',
  'error.controls.title': '컨트롤을 불러올 수 없습니다.',
  'error.controls.advice': '컨트롤의 스크립트를 불러올 수 없습니다.',
  'error.grant-expired.title': '3D 보기를 불러올 수 없습니다.',
  'error.grant-expired.text': '이 페이지가 오랫동안 열려 있었습니다.',
  'error.grant-expired.advice': '이 문서의 접근 권한이 더 이상 유효하지 않습니다.',
  'error.processing-failed.title': '이 3D 보기를 표시할 수 없습니다.',
  'error.processing-failed.advice':
    '디자인의 파일을 처리할 수 없습니다. API가 디자인의 소유자에게 이유를 알려 줍니다.',
  'error.refused.title': '이 3D 보기는 여기에서 사용할 수 없습니다.',
  'error.refused.advice': '서비스가 디자인의 파일을 거부했습니다.',
  'error.unavailable.title': '이 3D 보기는 지금 사용할 수 없습니다.',
  'error.unavailable.text': '잠시 후 다시 시도하십시오.',
  'error.unavailable.advice': '서비스가 디자인의 파일을 보낼 수 없습니다.',
  'error.invalid-file.title': '이 3D 보기를 표시할 수 없습니다.',
  'error.invalid-file.advice': '파일이 손상되었거나 올바른 glTF 2.0 파일이 아닙니다.',
  'error.unsupported-extension.title': '이 3D 보기를 표시할 수 없습니다.',
  'error.unsupported-extension.advice':
    '이 뷰어가 지원하지 않는 glTF 확장이 파일에 필요합니다: {extensions}.',
  'error.missing-resource.title': '이 3D 보기를 표시할 수 없습니다.',
  'error.missing-resource.advice': '파일이 참조하는 “{uri}”이(가) 없습니다.',
  'error.empty-scene.title': '이 3D 보기는 비어 있습니다.',
  'error.empty-scene.advice': '파일은 올바르지만 보이는 내용이 없습니다.',
  'error.no-webgl.title': '이 브라우저는 3D를 표시할 수 없습니다.',
  'error.no-webgl.text': '다른 브라우저나 기기를 사용해 보십시오.',
  'error.no-webgl.advice': 'WebGL 2를 사용할 수 없거나 꺼져 있습니다.',
  'error.context-lost.title': '3D 보기가 중지되었습니다.',
  'error.context-lost.text': '브라우저가 그래픽을 중지했습니다.',
  'error.context-lost.advice': 'WebGL 컨텍스트가 손실되어 복원할 수 없습니다.',
  'error.failed.title': '이 3D 보기를 표시할 수 없습니다.',
  'error.failed.advice': '예기치 않은 오류가 발생했습니다.',

  'errorPage.documentTitle': '3D 보기',
  'errorPage.title': '이 3D 보기는 여기에서 사용할 수 없습니다.',
  'errorPage.title.request.rate-limited': '이 3D 보기는 지금 사용할 수 없습니다.',
  'errorPage.title.embed.preview-link': '이 미리보기 링크는 작동하지 않거나 만료되었습니다.',
  'errorPage.title.design.not-shared': '이 3D 보기는 공유되지 않았거나 공유가 중단되었습니다.',
  'errorPage.title.design.not-ready': '이 3D 보기를 준비하고 있습니다.',
  'errorPage.title.server.failed': '이 3D 보기는 지금 사용할 수 없습니다.',
  'errorPage.title.server.damaged': '이 3D 보기는 지금 사용할 수 없습니다.',
  'errorPage.retrying': '이 페이지가 자동으로 다시 시도합니다.',
  'errorPage.learnMore': '의미 알아보기',
  'errorPage.advice.request.ambiguous-host':
    '요청에 호스트가 둘 이상 지정되어 있습니다. 서비스 앞의 프록시를 확인하십시오.',
  'errorPage.advice.request.wrong-host':
    '서비스에 이 주소가 없습니다. HTML을 다시 만들고 그 안의 URL을 변경하지 마십시오.',
  'errorPage.advice.request.not-acceptable':
    '브라우저나 프록시가 HTML과 JSON을 모두 받지 않습니다. Accept 헤더를 변경하는 것이 무엇인지 확인하십시오.',
  'errorPage.advice.request.rate-limited':
    '이 네트워크에서 너무 많은 3D 보기를 요청했습니다. 1분 정도 기다린 후 페이지를 새로고침하세요. 서비스 앞에 있는 프록시는 CLOCHE_TRUSTED_PROXIES에 있어야 합니다.',
  'errorPage.advice.token.missing':
    'iframe URL에 토큰이 없습니다. 토큰을 만들어 “?token=” 뒤에 적으십시오.',
  'errorPage.advice.embed.placeholder':
    'HTML에 CLOCHE_EMBED_TOKEN이 그대로 있습니다. 삽입만 할 수 있고 이 사이트가 지정된 토큰으로 바꾸십시오.',
  'errorPage.advice.token.malformed':
    'iframe URL의 토큰이 불완전하거나 잘못 입력되었습니다. 다시 복사하십시오.',
  'errorPage.advice.embed.secret-token':
    '이 페이지에 비밀 토큰이 있으며, 누구나 이 페이지를 읽을 수 있습니다. 지금 토큰을 취소하고 삽입만 할 수 있는 토큰을 사용하십시오.',
  'errorPage.advice.token.unknown':
    'iframe URL의 토큰이 이 서비스에 없습니다. 다시 복사하거나 새로 만드십시오.',
  'errorPage.advice.token.revoked':
    'iframe URL의 토큰이 취소되었습니다. 다른 토큰을 만들어 HTML에서 바꾸십시오.',
  'errorPage.advice.token.expired':
    'iframe URL의 토큰이 만료되었습니다. 다른 토큰을 만들어 HTML에서 바꾸십시오.',
  'errorPage.advice.token.user-disabled':
    'iframe URL의 토큰을 소유한 사용자가 비활성화되었습니다. 서비스 운영자에게 문의하십시오.',
  'errorPage.advice.token.design':
    'iframe URL의 토큰은 다른 디자인으로 제한되어 있습니다. 이 디자인용 토큰을 만드십시오.',
  'errorPage.advice.embed.prefetch':
    '브라우저가 3D 보기를 미리 요청했습니다. 페이지가 표시되면 불러오므로 변경할 것이 없습니다.',
  'errorPage.advice.embed.not-an-iframe':
    '이 URL은 iframe 안에서만 작동합니다. URL을 열거나 링크하지 말고 HTML을 페이지에 붙여 넣으십시오.',
  'errorPage.advice.embed.origin':
    '이 페이지가 {origin}에 있는데, iframe URL의 토큰에 이 출처가 없습니다. 그곳에서 3D 보기를 표시해도 된다면 토큰의 출처에 {origin}을(를) 추가하십시오.',
  'errorPage.advice.embed.origin.unnamed':
    'iframe을 둘러싼 페이지에 토큰에 지정할 수 있는 출처가 없습니다. sandbox가 있는 프레임 안에 있거나, 디스크에서 열렸거나, IPv6 주소에 있습니다. 토큰에 지정된 사이트에서 제공하십시오.',
  'errorPage.advice.embed.unverified-origin':
    '어느 페이지가 3D 보기를 표시하는지 브라우저가 알려 주지 않았습니다. iframe에 referrerpolicy="strict-origin"을 유지하고, 프록시가 Referer와 Sec-Fetch-Dest 헤더를 제거하지 않는지 확인하십시오.',
  'errorPage.advice.embed.preview-link':
    '링크가 불완전하거나 10분의 유효 시간이 지났습니다. 새 링크를 만드십시오.',
  'errorPage.advice.design.unknown':
    '디자인이 없거나 삭제되었습니다. HTML을 제거하거나 다른 디자인의 HTML로 바꾸십시오.',
  'errorPage.advice.design.not-shared':
    '디자인이 없거나 소유자가 더 이상 모두에게 공유하지 않습니다. HTML을 제거하거나 소유자에게 문의하십시오.',
  'errorPage.advice.design.failed':
    '디자인의 파일을 처리할 수 없습니다. API가 디자인의 소유자에게 이유를 알려 줍니다.',
  'errorPage.advice.design.not-ready': '디자인의 파일을 처리하고 있습니다. 몇 초 걸립니다.',
  'errorPage.advice.server.failed':
    '내부 오류가 발생했습니다. 이 응답의 X-Request-Id 헤더에 있는 ID로 서비스의 로그에 기록되어 있습니다.',
  'errorPage.advice.server.damaged':
    '토큰 또는 디자인의 데이터가 손상되었습니다. 다른 토큰을 만들거나 서비스 운영자에게 문의하십시오.',

  'snippet.genericName': '3D 보기',

  'sharePage.title': '{name} · 3D 보기',

  'previewPage.title': '미리보기',
  'previewPage.validity': '미리보기. 이 링크는 {time}까지 작동합니다.',
};
