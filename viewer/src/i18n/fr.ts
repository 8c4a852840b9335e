/** French, with the polite “vous”. en.ts describes the keys. */
export const fr: Readonly<Record<string, string>> = {
  'view.roleDescription': 'design 3D',
  'view.keyboardHelp':
    'Tournez avec les touches fléchées, déplacez avec Maj et les touches fléchées, zoomez avec plus et moins, réinitialisez avec R, aide avec le point d’interrogation.',
  'view.keyboardHelpOrbit':
    'Tournez avec les touches fléchées, réinitialisez avec R, aide avec le point d’interrogation.',
  'view.reset': 'Réinitialiser la vue',
  'view.zoomIn': 'Zoom avant',
  'view.zoomOut': 'Zoom arrière',
  'view.rotateLeft': 'Tourner vers la gauche',
  'view.rotateRight': 'Tourner vers la droite',
  'view.rotateUp': 'Tourner vers le haut',
  'view.rotateDown': 'Tourner vers le bas',
  'view.fromTop': 'Vue de dessus',
  'view.fromBelow': 'Vue de dessous',
  'view.fromSide': 'Vue : {direction}',
  'view.fromSideAbove': 'Vue : {direction}, de dessus',
  'view.fromSideBelow': 'Vue : {direction}, de dessous',
  'view.left': '{angle} à gauche',
  'view.right': '{angle} à droite',
  'view.up': '{angle} vers le haut',
  'view.down': '{angle} vers le bas',
  'view.zoom': 'Zoom : {percent}',
  'view.moved': 'Vue déplacée',
  'view.default': 'Vue par défaut',

  'direction.front': 'avant',
  'direction.frontRight': 'avant droit',
  'direction.right': 'droite',
  'direction.backRight': 'arrière droit',
  'direction.back': 'arrière',
  'direction.backLeft': 'arrière gauche',
  'direction.left': 'gauche',
  'direction.frontLeft': 'avant gauche',

  'hint.zoom': '{key} + défilement pour zoomer',
  'hint.touch': 'Déplacez le modèle avec deux doigts',
  'hint.keyCommand': '⌘',
  'hint.keyControl': 'Ctrl',

  'toolbar.label': 'Commandes',
  'toolbar.more': 'Plus',
  'toolbar.close': 'Fermer',

  'help.title': 'Aide',
  'help.rotate': 'Tourner',
  'help.zoom': 'Zoomer',
  'help.move': 'Déplacer',
  'help.focus': 'Regarder un point de plus près',
  'help.scroll': 'Faire défiler la page',
  'help.mouse': 'Souris',
  'help.mouse.rotate': 'Glisser',
  'help.mouse.zoom': '{key} + molette',
  'help.mouse.zoomPlain': 'Molette',
  'help.mouse.move': 'Glisser avec le bouton droit',
  'help.mouse.focus': 'Double-cliquer',
  'help.touch': 'Écran tactile',
  'help.touch.rotate': 'Balayer sur le côté',
  'help.touch.zoom': 'Pincer',
  'help.touch.move': 'Glisser avec deux doigts',
  'help.touch.focus': 'Toucher deux fois',
  'help.touch.scroll': 'Balayer vers le haut ou le bas',
  'help.keyboard': 'Clavier',
  'help.keyboard.rotate': 'Touches fléchées',
  'help.keyboard.zoom': '+ et −',
  'help.keyboard.move': 'Maj + touches fléchées',
  'help.keyboard.reset': 'R',
  'help.keyboard.toolbar': 'Tab, puis touches fléchées',
  'help.keyboard.help': '?',
  'help.keyboard.close': 'Échap',

  'loading.label': 'Chargement',
  'loading.start': 'Charger la vue 3D',

  'previewNotice.text': 'Seul un aperçu a pu être chargé.',

  'animation.play': 'Lire l’animation',
  'animation.pause': 'Mettre l’animation en pause',

  'animations.label': 'Animations',
  'animations.time': 'Temps',
  'animations.position': '{time} sur {duration}',
  'animations.positionShort': '{time} / {duration}',

  'rotation.pause': 'Mettre la rotation en pause',
  'rotation.resume': 'Reprendre la rotation',

  'variants.label': 'Variantes',
  'variants.selected': 'Variante : {name}',
  'variants.original': 'Version d’origine',

  'parts.label': 'Pièces',
  'parts.unnamed': 'Pièce {number}',
  'parts.search': 'Rechercher des pièces',
  'parts.noneFound': 'Aucune pièce trouvée',
  'parts.found': '{count, plural, one {# pièce trouvée} other {# pièces trouvées}}',
  'parts.isolate': 'Afficher seulement celle-ci',
  'parts.showAll': 'Tout afficher',
  'parts.shown': '{name} : affichée',
  'parts.hidden': '{name} : masquée',
  'parts.isolated': 'Seule {name} est affichée',
  'parts.allShown': 'Toutes les pièces sont affichées',

  'fullscreen.enter': 'Plein écran',
  'fullscreen.exit': 'Quitter le plein écran',

  'recovery.retry': 'Réessayer',
  'recovery.reload': 'Recharger',

  forAuthor: 'Pour l’auteur du site',

  'refused.title': 'Cette vue 3D n’est pas disponible ici.',
  'refused.topLevel.advice':
    'Cette URL ne fonctionne que dans une iframe. Collez le code HTML dans une page, au lieu d’ouvrir l’URL ou de créer un lien vers elle.',
  'refused.ancestor.advice':
    'Une page autour de cette iframe est sur {origin}, et le jeton dans l’URL de l’iframe ne contient pas cette origine. Si la vue 3D peut y être affichée, ajoutez {origin} aux origines du jeton.',
  'refused.hiddenAncestor.advice':
    'Une page autour de cette iframe masque son origine, et le jeton dans l’URL de l’iframe contient une origine http. Les navigateurs ne distinguent pas http et https quand ils vérifient des pages masquées. Retirez referrerpolicy="no-referrer" des iframes, ou n’indiquez que des origines https.',

  'start.failed.title': 'La vue 3D n’a pas pu être chargée.',
  'start.failed.text': 'Vérifiez votre connexion.',
  'start.failed.advice':
    'Un script de la visionneuse ne s’est pas exécuté. La connexion a échoué, ou une extension ou un proxy le bloque : {reason}',
  'start.slow.title': 'La vue 3D est encore en cours de chargement.',
  'start.slow.text': 'La connexion est lente ou a été perdue.',
  'start.slow.advice': 'Les scripts de la visionneuse ne sont pas arrivés au bout de 15 secondes.',
  'start.offline.text': 'Il n’y a toujours pas de connexion.',
  'start.sandbox.advice':
    'L’iframe a l’attribut sandbox sans allow-same-origin et ne peut donc pas charger ses fichiers. Ajoutez allow-same-origin et allow-scripts à l’attribut, ou supprimez-le.',
  'start.noScript.text': 'Elle nécessite JavaScript, qui est désactivé ici.',
  'start.noScript.advice':
    'Aucun script de cette iframe ne s’est exécuté. Si l’iframe a l’attribut sandbox, il doit contenir allow-scripts et allow-same-origin. Sinon, la connexion a échoué, ou une extension ou un proxy bloque les scripts.',

  'error.offline.title': 'La vue 3D n’a pas pu être chargée.',
  'error.offline.text': 'Vérifiez votre connexion.',
  'error.offline.advice': 'Un fichier du design n’a pas pu être demandé.',
  'error.interrupted.title': 'La vue 3D n’a pas pu être chargée.',
  'error.interrupted.text': 'La connexion a été perdue.',
  'error.interrupted.advice': 'Un fichier du design n’est arrivé qu’en partie.',
  'error.script.title': 'La vue 3D n’a pas pu être chargée.',
  'error.script.text': 'Vérifiez votre connexion.',
  'error.script.advice': 'Un script de la visionneuse n’a pas pu être chargé.',
  'error.controls.title': 'Les commandes n’ont pas pu être chargées.',
  'error.controls.advice': 'Le script des commandes n’a pas pu être chargé.',
  'error.grant-expired.title': 'La vue 3D n’a pas pu être chargée.',
  'error.grant-expired.text': 'Cette page est ouverte depuis longtemps.',
  'error.grant-expired.advice': 'L’autorisation d’accès de ce document n’est plus valide.',
  'error.processing-failed.title': 'Cette vue 3D ne peut pas être affichée.',
  'error.processing-failed.advice':
    'Le fichier du design n’a pas pu être traité. L’API en indique la raison au propriétaire du design.',
  'error.refused.title': 'Cette vue 3D n’est pas disponible ici.',
  'error.refused.advice': 'Le service a refusé un fichier du design.',
  'error.unavailable.title': 'Cette vue 3D n’est pas disponible pour le moment.',
  'error.unavailable.text': 'Réessayez dans un instant.',
  'error.unavailable.advice': 'Le service ne peut pas envoyer un fichier du design.',
  'error.invalid-file.title': 'Cette vue 3D ne peut pas être affichée.',
  'error.invalid-file.advice': 'Le fichier est endommagé ou n’est pas un fichier glTF 2.0 valide.',
  'error.unsupported-extension.title': 'Cette vue 3D ne peut pas être affichée.',
  'error.unsupported-extension.advice':
    'Le fichier nécessite des extensions glTF que cette visionneuse ne prend pas en charge : {extensions}.',
  'error.missing-resource.title': 'Cette vue 3D ne peut pas être affichée.',
  'error.missing-resource.advice': 'Le fichier renvoie à « {uri} », qui est introuvable.',
  'error.empty-scene.title': 'Cette vue 3D est vide.',
  'error.empty-scene.advice': 'Le fichier est valide, mais ne contient rien de visible.',
  'error.no-webgl.title': 'Ce navigateur ne peut pas afficher la 3D.',
  'error.no-webgl.text': 'Essayez avec un autre navigateur ou appareil.',
  'error.no-webgl.advice': 'WebGL 2 n’est pas disponible ou est désactivé.',
  'error.context-lost.title': 'La vue 3D s’est arrêtée.',
  'error.context-lost.text': 'Le navigateur a arrêté son affichage graphique.',
  'error.context-lost.advice': 'Le contexte WebGL a été perdu et n’a pas pu être restauré.',
  'error.failed.title': 'Cette vue 3D ne peut pas être affichée.',
  'error.failed.advice': 'Une erreur inattendue s’est produite.',

  'errorPage.documentTitle': 'Vue 3D',
  'errorPage.title': 'Cette vue 3D n’est pas disponible ici.',
  'errorPage.title.request.rate-limited': 'Cette vue 3D n’est pas disponible pour le moment.',
  'errorPage.title.embed.preview-link': 'Ce lien d’aperçu ne fonctionne pas ou plus.',
  'errorPage.title.design.not-shared': 'Cette vue 3D n’est pas partagée, ou ne l’est plus.',
  'errorPage.title.design.not-ready': 'Cette vue 3D est en préparation.',
  'errorPage.title.server.failed': 'Cette vue 3D n’est pas disponible pour le moment.',
  'errorPage.title.server.damaged': 'Cette vue 3D n’est pas disponible pour le moment.',
  'errorPage.retrying': 'Cette page réessaie automatiquement.',
  'errorPage.learnMore': 'Ce que cela signifie',
  'errorPage.advice.request.ambiguous-host':
    'La requête indique plusieurs hôtes. Vérifiez le proxy devant le service.',
  'errorPage.advice.request.wrong-host':
    'Le service n’a pas cette adresse. Créez de nouveau le code HTML et ne modifiez pas l’URL qu’il contient.',
  'errorPage.advice.request.not-acceptable':
    'Le navigateur, ou un proxy, n’accepte ni HTML ni JSON. Vérifiez ce qui modifie l’en-tête Accept.',
  'errorPage.advice.request.rate-limited':
    'Trop de vues 3D ont été demandées depuis ce réseau. Attendez une minute, puis rechargez la page. Un proxy placé devant le service doit figurer dans CLOCHE_TRUSTED_PROXIES.',
  'errorPage.advice.token.missing':
    'L’URL de l’iframe n’a pas de jeton. Créez-en un et écrivez-le après « ?token= ».',
  'errorPage.advice.embed.placeholder':
    'Le code HTML contient encore CLOCHE_EMBED_TOKEN. Remplacez-le par un jeton qui permet uniquement l’intégration et qui contient ce site.',
  'errorPage.advice.token.malformed':
    'Le jeton dans l’URL de l’iframe est incomplet ou mal saisi. Copiez-le de nouveau.',
  'errorPage.advice.embed.secret-token':
    'Cette page contient un jeton secret, et tout le monde peut lire la page. Révoquez ce jeton maintenant, et utilisez-en un qui permet uniquement l’intégration.',
  'errorPage.advice.token.unknown':
    'Le jeton dans l’URL de l’iframe n’existe pas sur ce service. Copiez-le de nouveau, ou créez-en un.',
  'errorPage.advice.token.revoked':
    'Le jeton dans l’URL de l’iframe a été révoqué. Créez-en un autre, et remplacez-le dans le code HTML.',
  'errorPage.advice.token.expired':
    'Le jeton dans l’URL de l’iframe a expiré. Créez-en un autre, et remplacez-le dans le code HTML.',
  'errorPage.advice.token.user-disabled':
    'L’utilisateur du jeton dans l’URL de l’iframe est désactivé. Adressez-vous à l’exploitant du service.',
  'errorPage.advice.token.design':
    'Le jeton dans l’URL de l’iframe est limité à d’autres designs. Créez-en un pour ce design.',
  'errorPage.advice.embed.prefetch':
    'Le navigateur a demandé la vue 3D à l’avance. Elle se charge quand la page est affichée ; il n’y a rien à modifier.',
  'errorPage.advice.embed.not-an-iframe':
    'Cette URL ne fonctionne que dans une iframe. Collez le code HTML dans une page, au lieu d’ouvrir l’URL ou de créer un lien vers elle.',
  'errorPage.advice.embed.origin':
    'Cette page est sur {origin}, et le jeton dans l’URL de l’iframe ne contient pas cette origine. Si la vue 3D peut y être affichée, ajoutez {origin} aux origines du jeton.',
  'errorPage.advice.embed.origin.unnamed':
    'La page autour de l’iframe n’a pas d’origine qu’un jeton puisse contenir : elle est dans un cadre avec sandbox, ouverte depuis le disque, ou à une adresse IPv6. Publiez-la sur un site que le jeton contient.',
  'errorPage.advice.embed.unverified-origin':
    'Le navigateur n’a pas indiqué quelle page affiche la vue 3D. Gardez referrerpolicy="strict-origin" sur l’iframe, et vérifiez qu’aucun proxy ne retire les en-têtes Referer et Sec-Fetch-Dest.',
  'errorPage.advice.embed.preview-link':
    'Le lien est incomplet, ou ses dix minutes sont écoulées. Créez-en un autre.',
  'errorPage.advice.design.unknown':
    'Le design n’existe pas ou a été supprimé. Retirez le code HTML, ou remplacez-le par celui d’un autre design.',
  'errorPage.advice.design.not-shared':
    'Le design n’existe pas, ou son propriétaire ne le partage plus avec tout le monde. Retirez le code HTML, ou adressez-vous au propriétaire.',
  'errorPage.advice.design.failed':
    'Le fichier du design n’a pas pu être traité. L’API en indique la raison au propriétaire du design.',
  'errorPage.advice.design.not-ready':
    'Le fichier du design est en cours de traitement. Cela prend quelques secondes.',
  'errorPage.advice.server.failed':
    'Une erreur interne s’est produite. Le journal du service la contient, sous l’identifiant de l’en-tête X-Request-Id de cette réponse.',
  'errorPage.advice.server.damaged':
    'Les données du jeton ou du design sont endommagées. Créez un autre jeton, ou adressez-vous à l’exploitant du service.',

  'snippet.genericName': 'Vue 3D',

  'sharePage.title': '{name} · Vue 3D',

  'previewPage.title': 'Aperçu',
  'previewPage.validity': 'Aperçu. Ce lien fonctionne jusqu’à {time}.',
};
