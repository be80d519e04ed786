import{a as o}from"./chunk-EI5W7GQF.js";o(document);
