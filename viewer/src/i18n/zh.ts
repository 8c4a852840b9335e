/** Chinese, in simplified characters. en.ts describes the keys. */
export const zh: Readonly<Record<string, string>> = {
  'view.roleDescription': '3D 设计',
  'view.keyboardHelp':
    '用方向键旋转，用 Shift 加方向键移动，用加号和减号缩放，用 R 重置，用问号打开帮助。',
  'view.keyboardHelpOrbit': '用方向键旋转，用 R 重置，用问号打开帮助。',
  'view.reset': '重置视图',
  'view.zoomIn': '放大',
  'view.zoomOut': '缩小',
  'view.rotateLeft': '向左旋转',
  'view.rotateRight': '向右旋转',
  'view.rotateUp': '向上旋转',
  'view.rotateDown': '向下旋转',
  'view.fromTop': '俯视图',
  'view.fromBelow': '仰视图',
  'view.fromSide': '从{direction}观看',
  'view.fromSideAbove': '从{direction}上方观看',
  'view.fromSideBelow': '从{direction}下方观看',
  'view.left': '向左 {angle}',
  'view.right': '向右 {angle}',
  'view.up': '向上 {angle}',
  'view.down': '向下 {angle}',
  'view.zoom': '缩放 {percent}',
  'view.moved': '视图已移动',
  'view.default': '默认视图',

  'direction.front': '前面',
  'direction.frontRight': '右前方',
  'direction.right': '右侧',
  'direction.backRight': '右后方',
  'direction.back': '后面',
  'direction.backLeft': '左后方',
  'direction.left': '左侧',
  'direction.frontLeft': '左前方',

  'hint.zoom': '{key} + 滚动即可缩放',
  'hint.touch': '用两根手指移动模型',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': '控件',
  'toolbar.more': '更多',
  'toolbar.close': '关闭',

  'help.title': '帮助',
  'help.rotate': '旋转',
  'help.zoom': '缩放',
  'help.move': '移动',
  'help.focus': '近看某一点',
  'help.scroll': '滚动页面',
  'help.mouse': '鼠标',
  'help.mouse.rotate': '拖动',
  'help.mouse.zoom': '{key} + 滚轮',
  'help.mouse.zoomPlain': '滚轮',
  'help.mouse.move': '按住右键拖动',
  'help.mouse.focus': '双击',
  'help.touch': '触摸',
  'help.touch.rotate': '左右滑动',
  'help.touch.zoom': '双指张合',
  'help.touch.move': '双指拖动',
  'help.touch.focus': '双击屏幕',
  'help.touch.scroll': '上下滑动',
  'help.keyboard': '键盘',
  'help.keyboard.rotate': '方向键',
  'help.keyboard.zoom': '+ 和 −',
  'help.keyboard.move': 'Shift + 方向键',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab，然后方向键',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': '正在加载',
  'loading.start': '加载 3D 视图',

  'previewNotice.text': '只能加载预览。',

  'animation.play': '播放动画',
  'animation.pause': '暂停动画',

  'animations.label': '动画',
  'animations.time': '时间',
  'animations.position': '{time}，共 {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': '暂停旋转',
  'rotation.resume': '继续旋转',

  'variants.label': '款式',
  'variants.selected': '款式：{name}',
  'variants.original': '原始款式',

  'parts.label': '部件',
  'parts.unnamed': '部件 {number}',
  'parts.search': '搜索部件',
  'parts.noneFound': '未找到部件',
  'parts.found': '{count, plural, other {找到 # 个部件}}',
  'parts.isolate': '仅显示此部件',
  'parts.showAll': '全部显示',
  'parts.shown': '{name}：已显示',
  'parts.hidden': '{name}：已隐藏',
  'parts.isolated': '仅显示 {name}',
  'parts.allShown': '已显示所有部件',

  'fullscreen.enter': '全屏',
  'fullscreen.exit': '退出全屏',

  'recovery.retry': '重试',
  'recovery.reload': '重新加载',

  forAuthor: '致网站作者',

  'refused.title': '此 3D 视图在此处不可用。',
  'refused.topLevel.advice':
    '此网址只能在 iframe 中使用。请将 HTML 粘贴到页面中，而不要直接打开或链接该网址。',
  'refused.ancestor.advice':
    '此 iframe 外层的一个页面位于 {origin}，而 iframe 网址中的令牌未列出该来源。如果 3D 视图可以在那里显示，请将 {origin} 添加到令牌的来源中。',
  'refused.hiddenAncestor.advice':
    '此 iframe 外层的一个页面隐藏了其来源，而 iframe 网址中的令牌列有 http 来源。浏览器在检查被隐藏的页面时不区分 http 和 https。请从 iframe 中移除 referrerpolicy="no-referrer"，或只列出 https 来源。',

  'start.failed.title': '无法加载 3D 视图。',
  'start.failed.text': '请检查网络连接。',
  'start.failed.advice': '查看器的一个脚本未运行。连接失败，或者被扩展程序或代理拦截：{reason}',
  'start.slow.title': '3D 视图仍在加载。',
  'start.slow.text': '连接缓慢或已断开。',
  'start.slow.advice': '查看器的脚本在 15 秒后仍未到达。',
  'start.offline.text': '仍然没有连接。',
  'start.sandbox.advice':
    'iframe 带有 sandbox 属性但缺少 allow-same-origin，因此无法加载文件。请在该属性中添加 allow-same-origin 和 allow-scripts，或移除该属性。',
  'start.noScript.text': '它需要 JavaScript，但此处已将其关闭。',
  'start.noScript.advice':
    '此 iframe 的脚本均未运行。如果 iframe 带有 sandbox 属性，则必须包含 allow-scripts 和 allow-same-origin。否则，可能是连接失败，或者扩展程序或代理拦截了脚本。',

  'error.offline.title': '无法加载 3D 视图。',
  'error.offline.text': '请检查网络连接。',
  'error.offline.advice': '无法请求设计的一个文件。',
  'error.interrupted.title': '无法加载 3D 视图。',
  'error.interrupted.text': '连接已断开。',
  'error.interrupted.advice': '设计的一个文件只传输了一部分。',
  'error.script.title': '无法加载 3D 视图。',
  'error.script.text': '请检查网络连接。',
  'error.script.advice': '无法加载查看器的一个脚本。',
  'error.controls.title': '无法加载控件。',
  'error.controls.advice': '无法加载控件的脚本。',
  'error.grant-expired.title': '无法加载 3D 视图。',
  'error.grant-expired.text': '此页面已打开很长时间。',
  'error.grant-expired.advice': '此文档的访问授权已失效。',
  'error.processing-failed.title': '无法显示此 3D 视图。',
  'error.processing-failed.advice': '无法处理该设计的文件。API 会向设计的所有者说明原因。',
  'error.refused.title': '此 3D 视图在此处不可用。',
  'error.refused.advice': '服务拒绝提供设计的一个文件。',
  'error.unavailable.title': '此 3D 视图目前不可用。',
  'error.unavailable.text': '请稍后再试。',
  'error.unavailable.advice': '服务无法发送设计的一个文件。',
  'error.invalid-file.title': '无法显示此 3D 视图。',
  'error.invalid-file.advice': '文件已损坏，或不是有效的 glTF 2.0 文件。',
  'error.unsupported-extension.title': '无法显示此 3D 视图。',
  'error.unsupported-extension.advice': '文件需要此查看器不支持的 glTF 扩展：{extensions}。',
  'error.missing-resource.title': '无法显示此 3D 视图。',
  'error.missing-resource.advice': '文件引用的“{uri}”缺失。',
  'error.empty-scene.title': '此 3D 视图为空。',
  'error.empty-scene.advice': '文件有效，但没有可见内容。',
  'error.no-webgl.title': '此浏览器无法显示 3D 内容。',
  'error.no-webgl.text': '请尝试其他浏览器或设备。',
  'error.no-webgl.advice': 'WebGL 2 不可用或已关闭。',
  'error.context-lost.title': '3D 视图已停止。',
  'error.context-lost.text': '浏览器已停止图形显示。',
  'error.context-lost.advice': 'WebGL 上下文已丢失，且无法恢复。',
  'error.failed.title': '无法显示此 3D 视图。',
  'error.failed.advice': '发生意外错误。',

  'errorPage.documentTitle': '3D 视图',
  'errorPage.title': '此 3D 视图在此处不可用。',
  'errorPage.title.request.rate-limited': '此 3D 视图目前不可用。',
  'errorPage.title.embed.preview-link': '此预览链接无效或已失效。',
  'errorPage.title.design.not-shared': '此 3D 视图未共享，或已停止共享。',
  'errorPage.title.design.not-ready': '此 3D 视图正在准备中。',
  'errorPage.title.server.failed': '此 3D 视图目前不可用。',
  'errorPage.title.server.damaged': '此 3D 视图目前不可用。',
  'errorPage.retrying': '此页面会自动重试。',
  'errorPage.learnMore': '这意味着什么',
  'errorPage.advice.request.ambiguous-host': '请求指定了多个主机。请检查服务前面的代理。',
  'errorPage.advice.request.wrong-host': '服务没有此地址。请重新创建 HTML，且不要更改其中的网址。',
  'errorPage.advice.request.not-acceptable':
    '浏览器或代理既不接受 HTML 也不接受 JSON。请检查是什么更改了 Accept 标头。',
  'errorPage.advice.request.rate-limited':
    '来自此网络的 3D 视图请求过多。请等待一分钟，然后重新加载页面。服务前面的代理必须列在 CLOCHE_TRUSTED_PROXIES 中。',
  'errorPage.advice.token.missing':
    'iframe 的网址中没有令牌。请创建一个令牌，并写在“?token=”之后。',
  'errorPage.advice.embed.placeholder':
    'HTML 中仍包含 CLOCHE_EMBED_TOKEN。请将其替换为仅可嵌入且列有此网站的令牌。',
  'errorPage.advice.token.malformed': 'iframe 网址中的令牌不完整或有误。请重新复制。',
  'errorPage.advice.embed.secret-token':
    '此页面包含私密令牌，而任何人都能读取该页面。请立即撤销该令牌，并使用仅可嵌入的令牌。',
  'errorPage.advice.token.unknown':
    'iframe 网址中的令牌在此服务中不存在。请重新复制，或创建一个令牌。',
  'errorPage.advice.token.revoked':
    'iframe 网址中的令牌已被撤销。请创建另一个令牌，并在 HTML 中替换。',
  'errorPage.advice.token.expired':
    'iframe 网址中的令牌已过期。请创建另一个令牌，并在 HTML 中替换。',
  'errorPage.advice.token.user-disabled': 'iframe 网址中令牌的用户已停用。请联系服务的运营者。',
  'errorPage.advice.token.design': 'iframe 网址中的令牌仅限于其他设计。请为此设计创建一个令牌。',
  'errorPage.advice.embed.prefetch':
    '浏览器提前请求了 3D 视图。页面显示时它会加载；无需更改任何内容。',
  'errorPage.advice.embed.not-an-iframe':
    '此网址只能在 iframe 中使用。请将 HTML 粘贴到页面中，而不要直接打开或链接该网址。',
  'errorPage.advice.embed.origin':
    '此页面位于 {origin}，而 iframe 网址中的令牌未列出该来源。如果 3D 视图可以在那里显示，请将 {origin} 添加到令牌的来源中。',
  'errorPage.advice.embed.origin.unnamed':
    'iframe 外层的页面没有令牌可以列出的来源：它位于带 sandbox 的框架中、从磁盘打开，或使用 IPv6 地址。请从令牌列出的网站提供该页面。',
  'errorPage.advice.embed.unverified-origin':
    '浏览器未说明哪个页面显示 3D 视图。请在 iframe 上保留 referrerpolicy="strict-origin"，并确认没有代理移除 Referer 和 Sec-Fetch-Dest 标头。',
  'errorPage.advice.embed.preview-link': '链接不完整，或其十分钟有效期已过。请创建另一个链接。',
  'errorPage.advice.design.unknown':
    '该设计不存在或已被删除。请移除 HTML，或替换为其他设计的 HTML。',
  'errorPage.advice.design.not-shared':
    '该设计不存在，或其所有者不再与所有人共享。请移除 HTML，或联系所有者。',
  'errorPage.advice.design.failed': '无法处理该设计的文件。API 会向设计的所有者说明原因。',
  'errorPage.advice.design.not-ready': '正在处理该设计的文件。这需要几秒钟。',
  'errorPage.advice.server.failed':
    '发生内部错误。服务的日志中有相应记录，其标识符见此响应的 X-Request-Id 标头。',
  'errorPage.advice.server.damaged':
    '令牌或设计的数据已损坏。请创建另一个令牌，或联系服务的运营者。',

  'snippet.genericName': '3D 视图',

  'sharePage.title': '{name} · 3D 视图',

  'previewPage.title': '预览',
  'previewPage.validity': '预览。此链接在 {time} 之前有效。',
};
