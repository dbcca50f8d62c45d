// What seeded contacts are called, where they work and where they live. The first entries of a list are the most common.

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const firstNames = words(`
  Maria Ana Mohammed Li Anna Sofia Juan Fatima Ahmed Yuki Priya Wei Lena Carlos Amara Emma Noah Olivia Liam Mei Hana Luca
  Ines Jamal Keiko Mateo Nadia Olu Rosa Søren Uma Ada Björn Chidi Dolores Emeka Gustav Quinn Aaliyah Abebe Adaeze Agnieszka
  Aisha Akira Alejandra Aleksander Alice Amina Anders Andrei Anika Antonio Arash Arjun Astrid Ayşe Beatriz Bilal Bogdan Bruno
  Camila Catarina Cem Chantal Chen Clara Dagny Damian Daniela Deepak Delphine Diego Dimitri Ebba Eduardo Eilidh Ekaterina
  Elif Elio Elsa Enzo Esra Esther Ewa Farah Felipe Femi Finn Folke Francesca Freya Gabriela Giulia Grace Greta Habib Hamza
  Haruto Hassan Heidi Helena Henrik Hiroshi Hugo Ibrahim Idris Ilse Imani Ingrid Isabel Ivan Jacek Jana Jasper Joana Jonas
  José Julia Kai Kamala Karim Karin Katarzyna Kenji Kofi Kwame Lakshmi Lars Laszlo Leila Leonor Linh Lucía Magda Malik
  Manuel Marek Marta Mariam Matilda Maya Mikael Milan Minh Mirjam Naoko Nia Nikhil Nikola Nils Noor Oksana Omar Oskar Paloma
  Pavel Pedro Petra Pia Rafael Rahul Ravi Renata Rania Ruth Saanvi Sami Sana Santiago Sara Selma Siobhán Stefan Sunita
  Svetlana Takumi Tamar Tariq Thandiwe Théo Tomás Tove Tunde Ulrike Valentina Vera Viktor Wanjiru Willem Xavier Xin Yara
  Yasmin Youssef Yusuf Zahra Zanele Zofia Zoë
`);

export const lastNames = words(`
  García Kim Nguyen Silva Müller Smith Singh Rossi Sato Xu Chen Khan Ivanov Kowalski Martin Jansen Okafor Haddad Adeyemi
  Bergström Castro Dubois Eriksen Fischer Ito Moreau Novák O’Brien Abdi Abebe Acosta Agarwal Aguilar Ahmed Alonso Andersson
  Antonescu Araújo Asante Aydın Bakker Balogun Banerjee Barbieri Baumann Becker Bianchi Blom Bondarenko Bose Brandt Brennan
  Campbell Cardoso Carvalho Chaudhry Christensen Clark Cohen Conti Costa Cruz Dahl Danso Das Davies Delgado Desai Diallo Dias
  Dimitrov Dlamini Doğan Doyle Dvořák Eklund Ekwueme Engel Espinoza Evans Faber Farouk Fernandes Ferrari Flores Fontaine
  Fraser Friis Fujita Gallo Gashi Gebre Ghosh Gomes Gonçalves Greco Gruber Gupta Gutiérrez Haas Hakimi Halvorsen Hansen
  Hashimoto Hassan Hayes Hernández Hoang Hoffmann Holm Horvat Huang Hussain Iyer Jakobsen Jiménez Johansson Jones Joshi
  Kamau Kapoor Karlsson Kaya Keller Kelly Kimura Kovács Krause Krüger Kumar Lam Larsen Laurent Le Lefebvre Lehtinen Lewis
  Lindqvist López Lund MacLeod Mahlangu Malik Mancini Marin Martínez Mbeki Medina Mehta Mendes Meyer Molina Morales Mori Mwangi
  Nair Nakamura Navarro Ndiaye Nielsen Nkosi Nowak Ochieng Olsen Onyango Ortiz Osei Özdemir Park Patel Pavlov Pereira Petrov
  Pham Popescu Ramos Rao Reyes Ricci Rivera Roberts Rodrigues Romero Saito Salazar Sánchez Santos Schmidt Schneider Shah
  Sharma Shimizu Simić Sokolov Sørensen Soto Suzuki Svensson Takahashi Tan Tanaka Taylor Tesfaye Torres Tran Tshabalala Van
  Vargas Vasić Vega Virtanen Wagner Walker Wang Weber White Williams Wolff Wong Yadav Yamamoto Yıldız Zhang Zhou Zimmermann
`);

const stems = words(`
  Northwind Harbor Kite Fjord Orchard Copper Meridian Tessellate Alder Basalt Beacon Birch Bramble Canopy Cedar Cinder Cobalt
  Compass Coral Crane Delta Driftwood Ember Falcon Fern Flint Foxglove Garnet Granite Heron Hollow Indigo Ivory Juniper Kestrel
  Lantern Larch Lattice Lumen Magpie Maple Marlow Mosaic Nimbus Oakline Onyx Osprey Pebble Pinecrest Plover Quarry Quill Raven
  Redwood Ridge Saffron Sable Sequoia Silverleaf Skylark Slate Sparrow Summit Tamarind Thistle Timber Topaz Vela Willow Wren
`);
const trades = [
  'Labs',
  'Analytics',
  'Health',
  'Freight',
  '& Partners',
  'Studio',
  'Energy',
  'Foods',
  'Robotics',
  'Insurance',
  'Consulting',
  'Learning',
  'Media',
  'Capital',
  'Systems',
  'Travel',
] as const;

export const companies: readonly string[] = trades.flatMap((trade) => stems.map((stem) => `${stem} ${trade}`));

const ranks = ['', 'Senior ', 'Head of ', 'VP of ', 'Junior ', 'Director of ', 'Lead ', 'Chief of '] as const;
const crafts = [
  'Operations',
  'Product Management',
  'Data Engineering',
  'Recruiting',
  'Sales',
  'Customer Success',
  'Marketing',
  'Finance',
  'Design',
  'Research',
  'Procurement',
  'Legal Affairs',
  'Field Service',
  'Logistics',
  'People & Culture',
  'Security',
] as const;

export const jobTitles: readonly string[] = [
  'Founder',
  'Account Executive',
  'Office Manager',
  'Teacher',
  ...ranks.flatMap((rank) => crafts.map((craft) => `${rank}${craft}`)),
];

export const notes = [
  'Prefers mornings.',
  'Met at the spring fair.',
  'Asked for the annual plan.',
  'Introduced by a colleague.',
  'Wants to see the roadmap, then decides.',
  'Call before writing.',
] as const;
export const interests = ['api', 'billing', 'events', 'onboarding', 'partnership', 'pricing', 'training'] as const;
export const hearsay = ['A friend', 'A podcast', 'A search', 'The spring fair', 'Your newsletter'] as const;
