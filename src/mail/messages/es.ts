import type { MailMessages } from './en.ts';

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const es: MailMessages = {
  hello: 'Hola:',
  regards: (shop) => `Un saludo,\n${shop}`,
  call: (telephone) => `Si es urgente, llámanos: ${telephone}`,
  hours: 'Horario:',
  shelter: 'Protectora de animales',
  anAnimal: 'uno de nuestros animales',

  copySubject: (animal) => `Tu mensaje sobre ${animal}`,
  copy: (animal) =>
    `Gracias por tu mensaje sobre ${animal}. Lo hemos recibido, y esta es una copia.`,
  copyNext: 'Estos son los próximos pasos:',
  next: [
    'Una persona del equipo lee tu mensaje.',
    'Te escribimos o te llamamos, y respondemos a tus preguntas.',
    'Nos visitas, y os conocéis.',
  ],
  wrote: 'Escribiste:',
  withoutLinks: 'Esta copia no incluye direcciones de páginas web.',
  kept: (days) =>
    `Borramos tu mensaje y tus datos de contacto al cabo de ${count(days, 'día', 'días')}.`,
  notYou: 'Si no nos has escrito, alguien se ha equivocado de dirección: no tienes que hacer nada.',

  confirmSubject: 'Confirma, por favor: animales nuevos por correo',
  confirm:
    'Alguien, probablemente tú, quiere recibir un correo cuando llegue un animal que encaje con esta búsqueda:',
  confirmLink: 'Si has sido tú, abre esta página y confírmalo en un plazo de 7 días:',
  confirmElse:
    'Si no, no tienes que hacer nada. No te enviaremos nada más, y tu dirección se borrará.',

  alertSubject: (n) =>
    n === 1
      ? 'Un animal nuevo encaja con tu búsqueda'
      : `${n} animales nuevos encajan con tu búsqueda`,
  alert: (n) =>
    n === 1
      ? 'Un animal nuevo encaja con tu búsqueda:'
      : `${n} animales nuevos encajan con tu búsqueda:`,
  more: (n) => `Y ${n} más:`,
  once: 'Sobre esta búsqueda escribimos como máximo una vez al día.',
  until: (date) => `Termina por sí sola el ${date}.`,
  end: 'Puedes terminarla cuando quieras, con un clic. Entonces se borra tu dirección:',
  search: 'Tu búsqueda:',
  anySearch: 'todos los animales',
};
