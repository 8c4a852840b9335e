/** Japanese, in polite style. en.ts describes the keys. */
export const ja: Readonly<Record<string, string>> = {
  'view.roleDescription': '3Dデザイン',
  'view.keyboardHelp':
    '矢印キーで回転、Shift + 矢印キーで移動、プラスとマイナスでズーム、Rでリセット、疑問符でヘルプを表示します。',
  'view.keyboardHelpOrbit': '矢印キーで回転、Rでリセット、疑問符でヘルプを表示します。',
  'view.reset': '表示をリセット',
  'view.zoomIn': '拡大',
  'view.zoomOut': '縮小',
  'view.rotateLeft': '左に回転',
  'view.rotateRight': '右に回転',
  'view.rotateUp': '上に回転',
  'view.rotateDown': '下に回転',
  'view.fromTop': '真上からの表示',
  'view.fromBelow': '真下からの表示',
  'view.fromSide': '{direction}からの表示',
  'view.fromSideAbove': '{direction}、上寄りからの表示',
  'view.fromSideBelow': '{direction}、下寄りからの表示',
  'view.left': '左{angle}',
  'view.right': '右{angle}',
  'view.up': '上{angle}',
  'view.down': '下{angle}',
  'view.zoom': 'ズーム {percent}',
  'view.moved': '表示を移動しました',
  'view.default': '初期表示',

  'direction.front': '正面',
  'direction.frontRight': '右前',
  'direction.right': '右',
  'direction.backRight': '右後ろ',
  'direction.back': '後ろ',
  'direction.backLeft': '左後ろ',
  'direction.left': '左',
  'direction.frontLeft': '左前',

  'hint.zoom': '{key} + スクロールでズーム',
  'hint.touch': '2本の指でモデルを動かせます',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': '操作部品',
  'toolbar.more': 'その他',
  'toolbar.close': '閉じる',

  'help.title': 'ヘルプ',
  'help.rotate': '回転',
  'help.zoom': 'ズーム',
  'help.move': '移動',
  'help.focus': '1点を拡大',
  'help.scroll': 'ページをスクロール',
  'help.mouse': 'マウス',
  'help.mouse.rotate': 'ドラッグ',
  'help.mouse.zoom': '{key} + ホイール',
  'help.mouse.zoomPlain': 'ホイール',
  'help.mouse.move': '右ボタンでドラッグ',
  'help.mouse.focus': 'ダブルクリック',
  'help.touch': 'タッチ',
  'help.touch.rotate': '横にスワイプ',
  'help.touch.zoom': 'ピンチ',
  'help.touch.move': '2本の指でドラッグ',
  'help.touch.focus': 'ダブルタップ',
  'help.touch.scroll': '上下にスワイプ',
  'help.keyboard': 'キーボード',
  'help.keyboard.rotate': '矢印キー',
  'help.keyboard.zoom': '+ と −',
  'help.keyboard.move': 'Shift + 矢印キー',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab、次に矢印キー',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': '読み込み中',
  'loading.start': '3D表示を読み込む',

  'previewNotice.text': 'プレビューのみ読み込めました。',

  'animation.play': 'アニメーションを再生',
  'animation.pause': 'アニメーションを一時停止',

  'animations.label': 'アニメーション',
  'animations.time': '時間',
  'animations.position': '{duration}中{time}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': '回転を一時停止',
  'rotation.resume': '回転を再開',

  'variants.label': 'バリエーション',
  'variants.selected': 'バリエーション: {name}',
  'variants.original': 'オリジナル',

  'parts.label': 'パーツ',
  'parts.unnamed': 'パーツ {number}',
  'parts.search': 'パーツを検索',
  'parts.noneFound': 'パーツが見つかりません',
  'parts.found': '{count, plural, other {#個のパーツが見つかりました}}',
  'parts.isolate': 'これだけを表示',
  'parts.showAll': 'すべて表示',
  'parts.shown': '{name}: 表示',
  'parts.hidden': '{name}: 非表示',
  'parts.isolated': '{name}だけを表示しています',
  'parts.allShown': 'すべてのパーツを表示しています',

  'fullscreen.enter': '全画面表示',
  'fullscreen.exit': '全画面表示を終了',

  'recovery.retry': '再試行',
  'recovery.reload': '再読み込み',

  forAuthor: 'サイトの作成者の方へ',

  'refused.title': 'この3D表示はここでは利用できません。',
  'refused.topLevel.advice':
    'このURLはiframeの中でのみ機能します。URLを開いたりリンクしたりせず、HTMLをページに貼り付けてください。',
  'refused.ancestor.advice':
    'このiframeを囲むページは {origin} にありますが、iframeのURLのトークンにこのオリジンが含まれていません。そこで3D表示を公開してよい場合は、トークンのオリジンに {origin} を追加してください。',
  'refused.hiddenAncestor.advice':
    'このiframeを囲むページがオリジンを隠しており、iframeのURLのトークンにはhttpのオリジンが含まれています。隠されたページの確認では、ブラウザーはhttpとhttpsを区別しません。iframeから referrerpolicy="no-referrer" を削除するか、httpsのオリジンだけを指定してください。',

  'start.failed.title': '3D表示を読み込めませんでした。',
  'start.failed.text': '接続を確認してください。',
  'start.failed.advice':
    'ビューアーのスクリプトが実行されませんでした。接続に失敗したか、拡張機能またはプロキシがブロックしています: {reason}',
  'start.slow.title': '3D表示をまだ読み込んでいます。',
  'start.slow.text': '接続が遅いか、切断されました。',
  'start.slow.advice': '15秒たってもビューアーのスクリプトが届いていません。',
  'start.offline.text': 'まだ接続できません。',
  'start.sandbox.advice':
    'iframeにallow-same-originのないsandbox属性があるため、ファイルを読み込めません。属性にallow-same-originとallow-scriptsを追加するか、属性を削除してください。',
  'start.noScript.text': 'JavaScriptが必要ですが、ここでは無効になっています。',
  'start.noScript.advice':
    'このiframeのスクリプトは1つも実行されませんでした。iframeにsandbox属性がある場合は、allow-scriptsとallow-same-originが必要です。それ以外の場合は、接続に失敗したか、拡張機能またはプロキシがスクリプトをブロックしています。',

  'error.offline.title': '3D表示を読み込めませんでした。',
  'error.offline.text': '接続を確認してください。',
  'error.offline.advice': 'デザインのファイルを要求できませんでした。',
  'error.interrupted.title': '3D表示を読み込めませんでした。',
  'error.interrupted.text': '接続が切断されました。',
  'error.interrupted.advice': 'デザインのファイルが一部しか届きませんでした。',
  'error.script.title': '3D表示を読み込めませんでした。',
  'error.script.text': '接続を確認してください。',
  'error.script.advice': 'ビューアーのスクリプトを読み込めませんでした。',
  'error.controls.title': '操作部品を読み込めませんでした。',
  'error.controls.advice': '操作部品のスクリプトを読み込めませんでした。',
  'error.grant-expired.title': '3D表示を読み込めませんでした。',
  'error.grant-expired.text': 'このページは長時間開かれています。',
  'error.grant-expired.advice': 'このドキュメントのアクセス許可は無効になりました。',
  'error.processing-failed.title': 'この3D表示は表示できません。',
  'error.processing-failed.advice':
    'デザインのファイルを処理できませんでした。理由はAPIでデザインの所有者に示されます。',
  'error.refused.title': 'この3D表示はここでは利用できません。',
  'error.refused.advice': 'サービスがデザインのファイルを拒否しました。',
  'error.unavailable.title': 'この3D表示は現在利用できません。',
  'error.unavailable.text': 'しばらくしてからもう一度お試しください。',
  'error.unavailable.advice': 'サービスがデザインのファイルを送信できません。',
  'error.invalid-file.title': 'この3D表示は表示できません。',
  'error.invalid-file.advice': 'ファイルが破損しているか、有効なglTF 2.0ではありません。',
  'error.unsupported-extension.title': 'この3D表示は表示できません。',
  'error.unsupported-extension.advice':
    'このビューアーが対応していないglTF拡張機能がファイルに必要です: {extensions}',
  'error.missing-resource.title': 'この3D表示は表示できません。',
  'error.missing-resource.advice': 'ファイルが参照している「{uri}」が見つかりません。',
  'error.empty-scene.title': 'この3D表示は空です。',
  'error.empty-scene.advice': 'ファイルは有効ですが、表示できるものがありません。',
  'error.no-webgl.title': 'このブラウザーは3Dを表示できません。',
  'error.no-webgl.text': '別のブラウザーまたはデバイスをお試しください。',
  'error.no-webgl.advice': 'WebGL 2が利用できないか、無効になっています。',
  'error.context-lost.title': '3D表示が停止しました。',
  'error.context-lost.text': 'ブラウザーがグラフィックスを停止しました。',
  'error.context-lost.advice': 'WebGLコンテキストが失われ、復元できませんでした。',
  'error.failed.title': 'この3D表示は表示できません。',
  'error.failed.advice': '予期しないエラーが発生しました。',

  'errorPage.documentTitle': '3D表示',
  'errorPage.title': 'この3D表示はここでは利用できません。',
  'errorPage.title.request.rate-limited': 'この3D表示は現在利用できません。',
  'errorPage.title.embed.preview-link': 'このプレビューリンクは無効か、期限が切れています。',
  'errorPage.title.design.not-shared': 'この3D表示は共有されていないか、共有が終了しました。',
  'errorPage.title.design.not-ready': 'この3D表示は準備中です。',
  'errorPage.title.server.failed': 'この3D表示は現在利用できません。',
  'errorPage.title.server.damaged': 'この3D表示は現在利用できません。',
  'errorPage.retrying': 'このページは自動的に再試行します。',
  'errorPage.learnMore': 'この意味について',
  'errorPage.advice.request.ambiguous-host':
    'リクエストに複数のホストが指定されています。サービスの前段のプロキシを確認してください。',
  'errorPage.advice.request.wrong-host':
    'サービスにこのアドレスはありません。HTMLを作成し直し、その中のURLは変更しないでください。',
  'errorPage.advice.request.not-acceptable':
    'ブラウザーまたはプロキシがHTMLもJSONも受け付けません。Acceptヘッダーを変更しているものを確認してください。',
  'errorPage.advice.request.rate-limited':
    'このネットワークからの3Dビューのリクエストが多すぎます。1分待ってからページを再読み込みしてください。サービスの前にあるプロキシは CLOCHE_TRUSTED_PROXIES に指定する必要があります。',
  'errorPage.advice.token.missing':
    'iframeのURLにトークンがありません。トークンを作成し、「?token=」の後に書いてください。',
  'errorPage.advice.embed.placeholder':
    'HTMLにCLOCHE_EMBED_TOKENが残っています。埋め込みだけができ、このサイトを含むトークンに置き換えてください。',
  'errorPage.advice.token.malformed':
    'iframeのURLのトークンが不完全か、間違っています。もう一度コピーしてください。',
  'errorPage.advice.embed.secret-token':
    'このページには秘密のトークンが含まれており、ページは誰でも読めます。今すぐそのトークンを取り消し、埋め込みだけができるトークンを使用してください。',
  'errorPage.advice.token.unknown':
    'iframeのURLのトークンはこのサービスに存在しません。もう一度コピーするか、作成してください。',
  'errorPage.advice.token.revoked':
    'iframeのURLのトークンは取り消されました。別のトークンを作成し、HTMLの中で置き換えてください。',
  'errorPage.advice.token.expired':
    'iframeのURLのトークンは期限切れです。別のトークンを作成し、HTMLの中で置き換えてください。',
  'errorPage.advice.token.user-disabled':
    'iframeのURLのトークンのユーザーは無効です。サービスの運営者に問い合わせてください。',
  'errorPage.advice.token.design':
    'iframeのURLのトークンは他のデザイン専用です。このデザイン用のトークンを作成してください。',
  'errorPage.advice.embed.prefetch':
    'ブラウザーが3D表示を事前に要求しました。ページが表示されると読み込まれます。変更は必要ありません。',
  'errorPage.advice.embed.not-an-iframe':
    'このURLはiframeの中でのみ機能します。URLを開いたりリンクしたりせず、HTMLをページに貼り付けてください。',
  'errorPage.advice.embed.origin':
    'このページは {origin} にありますが、iframeのURLのトークンにこのオリジンが含まれていません。そこで3D表示を公開してよい場合は、トークンのオリジンに {origin} を追加してください。',
  'errorPage.advice.embed.origin.unnamed':
    'iframeを囲むページには、トークンに指定できるオリジンがありません。sandboxのあるフレーム内にあるか、ディスクから開かれたか、IPv6アドレスにあります。トークンに含まれるサイトから配信してください。',
  'errorPage.advice.embed.unverified-origin':
    'どのページが3D表示を表示しているかをブラウザーが示しませんでした。iframeの referrerpolicy="strict-origin" を残し、プロキシがRefererとSec-Fetch-Destのヘッダーを削除していないことを確認してください。',
  'errorPage.advice.embed.preview-link':
    'リンクが不完全か、10分の有効期間が過ぎています。別のリンクを作成してください。',
  'errorPage.advice.design.unknown':
    'デザインは存在しないか、削除されました。HTMLを削除するか、別のデザインのHTMLに置き換えてください。',
  'errorPage.advice.design.not-shared':
    'デザインが存在しないか、所有者による全員への共有が終了しました。HTMLを削除するか、所有者に問い合わせてください。',
  'errorPage.advice.design.failed':
    'デザインのファイルを処理できませんでした。理由はAPIでデザインの所有者に示されます。',
  'errorPage.advice.design.not-ready': 'デザインのファイルを処理しています。数秒かかります。',
  'errorPage.advice.server.failed':
    '内部エラーが発生しました。この応答のX-Request-Idヘッダーの識別子で、サービスのログに記録されています。',
  'errorPage.advice.server.damaged':
    'トークンまたはデザインのデータが破損しています。別のトークンを作成するか、サービスの運営者に問い合わせてください。',

  'snippet.genericName': '3D表示',

  'sharePage.title': '{name} · 3D表示',

  'previewPage.title': 'プレビュー',
  'previewPage.validity': 'プレビュー。このリンクは {time} まで有効です。',
};
