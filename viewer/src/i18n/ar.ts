/** Modern Standard Arabic. Instructions are impersonal. en.ts describes the keys. */
export const ar: Readonly<Record<string, string>> = {
  'view.roleDescription': 'تصميم ثلاثي الأبعاد',
  'view.keyboardHelp':
    'التدوير بمفاتيح الأسهم، والتحريك بالمفتاح Shift مع مفاتيح الأسهم، والتكبير والتصغير بعلامتي الزائد والناقص، وإعادة الضبط بالمفتاح R، والمساعدة بعلامة الاستفهام.',
  'view.keyboardHelpOrbit':
    'التدوير بمفاتيح الأسهم، وإعادة الضبط بالمفتاح R، والمساعدة بعلامة الاستفهام.',
  'view.reset': 'إعادة ضبط العرض',
  'view.zoomIn': 'تكبير',
  'view.zoomOut': 'تصغير',
  'view.rotateLeft': 'تدوير إلى اليسار',
  'view.rotateRight': 'تدوير إلى اليمين',
  'view.rotateUp': 'تدوير إلى الأعلى',
  'view.rotateDown': 'تدوير إلى الأسفل',
  'view.fromTop': 'عرض من الأعلى',
  'view.fromBelow': 'عرض من الأسفل',
  'view.fromSide': 'عرض من {direction}',
  'view.fromSideAbove': 'عرض من {direction} والأعلى',
  'view.fromSideBelow': 'عرض من {direction} والأسفل',
  'view.left': '{angle} إلى اليسار',
  'view.right': '{angle} إلى اليمين',
  'view.up': '{angle} إلى الأعلى',
  'view.down': '{angle} إلى الأسفل',
  'view.zoom': 'التكبير {percent}',
  'view.moved': 'تم تحريك العرض',
  'view.default': 'العرض الافتراضي',

  'direction.front': 'الأمام',
  'direction.frontRight': 'الأمام الأيمن',
  'direction.right': 'اليمين',
  'direction.backRight': 'الخلف الأيمن',
  'direction.back': 'الخلف',
  'direction.backLeft': 'الخلف الأيسر',
  'direction.left': 'اليسار',
  'direction.frontLeft': 'الأمام الأيسر',

  'hint.zoom': '{key} + التمرير للتكبير والتصغير',
  'hint.touch': 'يمكن تحريك النموذج بإصبعين',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'أدوات التحكم',
  'toolbar.more': 'المزيد',
  'toolbar.close': 'إغلاق',

  'help.title': 'مساعدة',
  'help.rotate': 'التدوير',
  'help.zoom': 'التكبير والتصغير',
  'help.move': 'التحريك',
  'help.focus': 'رؤية نقطة عن قرب',
  'help.scroll': 'تمرير الصفحة',
  'help.mouse': 'الفأرة',
  'help.mouse.rotate': 'السحب',
  'help.mouse.zoom': '{key} + العجلة',
  'help.mouse.zoomPlain': 'العجلة',
  'help.mouse.move': 'السحب بالزر الأيمن',
  'help.mouse.focus': 'النقر المزدوج',
  'help.touch': 'اللمس',
  'help.touch.rotate': 'التمرير جانبيًا',
  'help.touch.zoom': 'تقريب إصبعين أو إبعادهما',
  'help.touch.move': 'السحب بإصبعين',
  'help.touch.focus': 'اللمس مرتين',
  'help.touch.scroll': 'التمرير لأعلى أو لأسفل',
  'help.keyboard': 'لوحة المفاتيح',
  'help.keyboard.rotate': 'مفاتيح الأسهم',
  'help.keyboard.zoom': '+ و −',
  'help.keyboard.move': 'Shift + مفاتيح الأسهم',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab ثم مفاتيح الأسهم',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Esc',

  'loading.label': 'جارٍ التحميل',
  'loading.start': 'تحميل العرض الثلاثي الأبعاد',

  'previewNotice.text': 'تعذّر تحميل غير المعاينة.',

  'animation.play': 'تشغيل الحركة',
  'animation.pause': 'إيقاف الحركة مؤقتًا',

  'animations.label': 'الحركات',
  'animations.time': 'الوقت',
  'animations.position': '{time} من {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'إيقاف الدوران مؤقتًا',
  'rotation.resume': 'استئناف الدوران',

  'variants.label': 'الطُرز',
  'variants.selected': 'الطراز: {name}',
  'variants.original': 'الأصلي',

  'parts.label': 'الأجزاء',
  'parts.unnamed': 'الجزء {number}',
  'parts.search': 'البحث عن أجزاء',
  'parts.noneFound': 'لم يُعثر على أجزاء',
  'parts.found':
    '{count, plural, zero {لم يُعثر على أجزاء} one {عُثر على جزء واحد} two {عُثر على جزأين} few {عُثر على # أجزاء} many {عُثر على # جزءًا} other {عُثر على # جزء}}',
  'parts.isolate': 'إظهار هذا الجزء فقط',
  'parts.showAll': 'إظهار الكل',
  'parts.shown': '{name}: ظاهر',
  'parts.hidden': '{name}: مخفي',
  'parts.isolated': 'الظاهر فقط: {name}',
  'parts.allShown': 'جميع الأجزاء ظاهرة',

  'fullscreen.enter': 'ملء الشاشة',
  'fullscreen.exit': 'إنهاء ملء الشاشة',

  'recovery.retry': 'إعادة المحاولة',
  'recovery.reload': 'إعادة التحميل',

  forAuthor: 'لصاحب الموقع',

  'refused.title': 'هذا العرض الثلاثي الأبعاد غير متاح هنا.',
  'refused.topLevel.advice':
    'يعمل عنوان URL هذا داخل عنصر iframe فقط. يُرجى لصق شيفرة HTML في صفحة بدلًا من فتح العنوان أو الربط به.',
  'refused.ancestor.advice':
    'توجد صفحة تحيط بعنصر iframe هذا على {origin}، والرمز المميز في عنوان URL للعنصر لا يتضمن هذا الأصل. إذا كان يجوز إظهار العرض الثلاثي الأبعاد هناك، فيُرجى إضافة {origin} إلى أصول الرمز المميز.',
  'refused.hiddenAncestor.advice':
    'توجد صفحة تحيط بعنصر iframe هذا وتخفي أصلها، والرمز المميز في عنوان URL للعنصر يتضمن أصلًا من نوع http. لا تميّز المتصفحات بين http وhttps عند التحقق من الصفحات المخفية. يُرجى إزالة referrerpolicy="no-referrer" من عناصر iframe، أو تضمين أصول https فقط.',

  'start.failed.title': 'تعذّر تحميل العرض الثلاثي الأبعاد.',
  'start.failed.text': 'يُرجى التحقق من الاتصال.',
  'start.failed.advice':
    'لم يعمل أحد برامج العارض النصية. فشل الاتصال، أو تحظره إضافة أو خادم وكيل: {reason}',
  'start.slow.title': 'ما زال العرض الثلاثي الأبعاد قيد التحميل.',
  'start.slow.text': 'الاتصال بطيء أو انقطع.',
  'start.slow.advice': 'لم تصل برامج العارض النصية بعد 15 ثانية.',
  'start.offline.text': 'ما زال الاتصال مقطوعًا.',
  'start.sandbox.advice':
    'يحمل عنصر iframe السمة sandbox دون allow-same-origin، فلا يمكنه تحميل ملفاته. يُرجى إضافة allow-same-origin وallow-scripts إلى السمة، أو إزالتها.',
  'start.noScript.text': 'يتطلب هذا العرض JavaScript، وهي متوقفة هنا.',
  'start.noScript.advice':
    'لم يعمل أي برنامج نصي في عنصر iframe هذا. إذا كان العنصر يحمل السمة sandbox، فيجب أن تتضمن allow-scripts وallow-same-origin. وإلا فقد فشل الاتصال، أو تحظر إضافة أو خادم وكيل البرامج النصية.',

  'error.offline.title': 'تعذّر تحميل العرض الثلاثي الأبعاد.',
  'error.offline.text': 'يُرجى التحقق من الاتصال.',
  'error.offline.advice': 'تعذّر طلب أحد ملفات التصميم.',
  'error.interrupted.title': 'تعذّر تحميل العرض الثلاثي الأبعاد.',
  'error.interrupted.text': 'انقطع الاتصال.',
  'error.interrupted.advice': 'وصل جزء فقط من أحد ملفات التصميم.',
  'error.script.title': 'تعذّر تحميل العرض الثلاثي الأبعاد.',
  'error.script.text': 'يُرجى التحقق من الاتصال.',
  'error.script.advice': 'تعذّر تحميل أحد برامج العارض النصية.',
  'error.controls.title': 'تعذّر تحميل أدوات التحكم.',
  'error.controls.advice': 'تعذّر تحميل البرنامج النصي لأدوات التحكم.',
  'error.grant-expired.title': 'تعذّر تحميل العرض الثلاثي الأبعاد.',
  'error.grant-expired.text': 'هذه الصفحة مفتوحة منذ وقت طويل.',
  'error.grant-expired.advice': 'لم يعد إذن الوصول لهذا المستند صالحًا.',
  'error.processing-failed.title': 'يتعذّر إظهار هذا العرض الثلاثي الأبعاد.',
  'error.processing-failed.advice': 'تعذّرت معالجة ملف التصميم. تذكر واجهة API السبب لمالك التصميم.',
  'error.refused.title': 'هذا العرض الثلاثي الأبعاد غير متاح هنا.',
  'error.refused.advice': 'رفضت الخدمة أحد ملفات التصميم.',
  'error.unavailable.title': 'هذا العرض الثلاثي الأبعاد غير متاح حاليًا.',
  'error.unavailable.text': 'يُرجى إعادة المحاولة بعد لحظات.',
  'error.unavailable.advice': 'لا تستطيع الخدمة إرسال أحد ملفات التصميم.',
  'error.invalid-file.title': 'يتعذّر إظهار هذا العرض الثلاثي الأبعاد.',
  'error.invalid-file.advice': 'الملف تالف أو ليس ملف glTF 2.0 صالحًا.',
  'error.unsupported-extension.title': 'يتعذّر إظهار هذا العرض الثلاثي الأبعاد.',
  'error.unsupported-extension.advice':
    'يحتاج الملف إلى إضافات glTF لا يدعمها هذا العارض: {extensions}.',
  'error.missing-resource.title': 'يتعذّر إظهار هذا العرض الثلاثي الأبعاد.',
  'error.missing-resource.advice': 'يشير الملف إلى «{uri}»، وهو مفقود.',
  'error.empty-scene.title': 'هذا العرض الثلاثي الأبعاد فارغ.',
  'error.empty-scene.advice': 'الملف صالح، لكنه لا يحتوي على شيء مرئي.',
  'error.no-webgl.title': 'لا يستطيع هذا المتصفح إظهار محتوى ثلاثي الأبعاد.',
  'error.no-webgl.text': 'يُرجى تجربة متصفح أو جهاز آخر.',
  'error.no-webgl.advice': '‏WebGL 2 غير متاح أو متوقف.',
  'error.context-lost.title': 'توقف العرض الثلاثي الأبعاد.',
  'error.context-lost.text': 'أوقف المتصفح رسوماته.',
  'error.context-lost.advice': 'فُقد سياق WebGL وتعذّرت استعادته.',
  'error.failed.title': 'يتعذّر إظهار هذا العرض الثلاثي الأبعاد.',
  'error.failed.advice': 'حدث خطأ غير متوقع.',

  'errorPage.documentTitle': 'عرض ثلاثي الأبعاد',
  'errorPage.title': 'هذا العرض الثلاثي الأبعاد غير متاح هنا.',
  'errorPage.title.request.rate-limited': 'هذا العرض الثلاثي الأبعاد غير متاح حاليًا.',
  'errorPage.title.embed.preview-link': 'رابط المعاينة هذا لا يعمل أو انتهت صلاحيته.',
  'errorPage.title.design.not-shared': 'هذا العرض الثلاثي الأبعاد غير مشارَك، أو لم يعد كذلك.',
  'errorPage.title.design.not-ready': 'يجري إعداد هذا العرض الثلاثي الأبعاد.',
  'errorPage.title.server.failed': 'هذا العرض الثلاثي الأبعاد غير متاح حاليًا.',
  'errorPage.title.server.damaged': 'هذا العرض الثلاثي الأبعاد غير متاح حاليًا.',
  'errorPage.retrying': 'تعيد هذه الصفحة المحاولة تلقائيًا.',
  'errorPage.learnMore': 'ماذا يعني هذا',
  'errorPage.advice.request.ambiguous-host':
    'يذكر الطلب أكثر من مضيف واحد. يُرجى التحقق من الخادم الوكيل أمام الخدمة.',
  'errorPage.advice.request.wrong-host':
    'ليس للخدمة هذا العنوان. يُرجى إنشاء شيفرة HTML من جديد وعدم تغيير عنوان URL فيها.',
  'errorPage.advice.request.not-acceptable':
    'لا يقبل المتصفح أو الخادم الوكيل HTML ولا JSON. يُرجى التحقق مما يغيّر الترويسة Accept.',
  'errorPage.advice.request.rate-limited':
    'طُلب عدد كبير جدًا من العروض الثلاثية الأبعاد من هذه الشبكة. يُرجى الانتظار دقيقة ثم إعادة تحميل الصفحة. يجب إدراج أي خادم وكيل أمام الخدمة في CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'لا يوجد رمز مميز في عنوان URL لعنصر iframe. يُرجى إنشاء رمز وكتابته بعد «?token=».',
  'errorPage.advice.embed.placeholder':
    'ما زالت شيفرة HTML تحتوي على CLOCHE_EMBED_TOKEN. يُرجى استبداله برمز مميز يسمح بالتضمين فقط ويتضمن هذا الموقع.',
  'errorPage.advice.token.malformed':
    'الرمز المميز في عنوان URL لعنصر iframe ناقص أو مكتوب خطأً. يُرجى نسخه من جديد.',
  'errorPage.advice.embed.secret-token':
    'تحتوي هذه الصفحة على رمز مميز سري، ويستطيع الجميع قراءة الصفحة. يُرجى إبطال الرمز الآن واستخدام رمز يسمح بالتضمين فقط.',
  'errorPage.advice.token.unknown':
    'الرمز المميز في عنوان URL لعنصر iframe غير موجود في هذه الخدمة. يُرجى نسخه من جديد أو إنشاء رمز.',
  'errorPage.advice.token.revoked':
    'أُبطل الرمز المميز في عنوان URL لعنصر iframe. يُرجى إنشاء رمز آخر واستبداله في شيفرة HTML.',
  'errorPage.advice.token.expired':
    'انتهت صلاحية الرمز المميز في عنوان URL لعنصر iframe. يُرجى إنشاء رمز آخر واستبداله في شيفرة HTML.',
  'errorPage.advice.token.user-disabled':
    'مستخدم الرمز المميز في عنوان URL لعنصر iframe معطّل. يُرجى سؤال مشغّل الخدمة.',
  'errorPage.advice.token.design':
    'يقتصر الرمز المميز في عنوان URL لعنصر iframe على تصاميم أخرى. يُرجى إنشاء رمز لهذا التصميم.',
  'errorPage.advice.embed.prefetch':
    'طلب المتصفح العرض الثلاثي الأبعاد مسبقًا. سيُحمَّل عند إظهار الصفحة، ولا حاجة إلى تغيير أي شيء.',
  'errorPage.advice.embed.not-an-iframe':
    'يعمل عنوان URL هذا داخل عنصر iframe فقط. يُرجى لصق شيفرة HTML في صفحة بدلًا من فتح العنوان أو الربط به.',
  'errorPage.advice.embed.origin':
    'توجد هذه الصفحة على {origin}، والرمز المميز في عنوان URL لعنصر iframe لا يتضمن هذا الأصل. إذا كان يجوز إظهار العرض الثلاثي الأبعاد هناك، فيُرجى إضافة {origin} إلى أصول الرمز المميز.',
  'errorPage.advice.embed.origin.unnamed':
    'ليس للصفحة المحيطة بعنصر iframe أصل يمكن تضمينه في رمز مميز: فهي في إطار يحمل السمة sandbox، أو فُتحت من القرص، أو لها عنوان IPv6. يُرجى تقديمها من موقع يتضمنه الرمز.',
  'errorPage.advice.embed.unverified-origin':
    'لم يذكر المتصفح الصفحة التي تُظهر العرض الثلاثي الأبعاد. يُرجى إبقاء referrerpolicy="strict-origin" في عنصر iframe، والتحقق من أن أي خادم وكيل لا يزيل الترويستين Referer وSec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link': 'الرابط ناقص، أو انتهت دقائقه العشر. يُرجى إنشاء رابط آخر.',
  'errorPage.advice.design.unknown':
    'التصميم غير موجود أو حُذف. يُرجى إزالة شيفرة HTML أو استبدالها بشيفرة تصميم آخر.',
  'errorPage.advice.design.not-shared':
    'التصميم غير موجود، أو لم يعد مالكه يشاركه مع الجميع. يُرجى إزالة شيفرة HTML أو سؤال المالك.',
  'errorPage.advice.design.failed': 'تعذّرت معالجة ملف التصميم. تذكر واجهة API السبب لمالك التصميم.',
  'errorPage.advice.design.not-ready': 'تجري معالجة ملف التصميم. يستغرق ذلك بضع ثوانٍ.',
  'errorPage.advice.server.failed':
    'حدث خطأ داخلي. وهو مسجَّل في سجل الخدمة تحت المعرّف الوارد في الترويسة X-Request-Id لهذه الاستجابة.',
  'errorPage.advice.server.damaged':
    'بيانات الرمز المميز أو التصميم تالفة. يُرجى إنشاء رمز مميز آخر أو سؤال مشغّل الخدمة.',

  'snippet.genericName': 'عرض ثلاثي الأبعاد',

  'sharePage.title': '{name} · عرض ثلاثي الأبعاد',

  'previewPage.title': 'معاينة',
  'previewPage.validity': 'معاينة. يعمل هذا الرابط حتى {time}.',
};
